import ChildProcesses
import Logging
import MediaKernel
import Pipeline
import Speech
import Streams

/// What a bot makes of its room: the stream, files of single tracks, or both.
struct BotOutput: Sendable {
    /// Nil if only tracks are recorded: then nothing is decoded.
    private(set) var stream: Stream?
    /// Nil if no tracks are recorded by themselves.
    let tracks: TrackRecording?

    /// The stream and its images.
    struct Stream: Sendable {
        let pipeline: StreamPipeline
        let pictures: BotPictures
        /// Nil if nobody recognizes speech.
        let speech: SpeechFeed?
    }

    /// - Throws: `CodecError` if the stream cannot be encoded, and errors of files.
    init(
        _ configuration: BotConfiguration, in directory: String, wishes: BotMedia.Wishes,
        speech: SpeechHandle? = nil, logger: Logger, warn: @escaping @Sendable (String) -> Void
    ) throws {
        let recording = configuration.plan.recording
        if recording?.isTracksAlone != true {
            var settings = configuration.pipeline(outputDirectory: directory)
            let feed = speech.map { SpeechFeed(to: $0) }
            settings.listener = feed
            let pipeline = try StreamPipeline(settings, logger: logger)
            stream = Stream(
                pipeline: pipeline,
                pictures: BotPictures(
                    hosts: configuration.plan.pictureHosts,
                    picturesDirectory: configuration.picturesDirectory,
                    layout: settings.layout, pipeline: pipeline, warn: warn), speech: feed)
        }
        tracks = try recording?.tracks.map {
            try TrackRecording(
                $0, in: directory, isPaused: configuration.isRecordingPaused, wishes: wishes)
        }
    }

    /// All that consume frames.
    var takers: [any TrackTaker] {
        let all: [(any TrackTaker)?] = [stream?.pipeline, tracks]
        return all.compactMap { $0 }
    }

    /// The media path is available.
    func start() { stream?.pipeline.start() }

    func show(_ sources: [SourcePeer]) async {
        // First, so that it knows whom it hears.
        stream?.speech?.show(sources)
        stream?.pipeline.show(sources)
        tracks?.show(sources)
        await stream?.pictures.wanted(by: sources)
    }

    func setRecordingPaused(_ isPaused: Bool) {
        stream?.pipeline.setRecordingPaused(isPaused)
        tracks?.setPaused(isPaused)
    }

    var failure: PipelineFailure? { stream?.pipeline.failure }

    /// Writes all that was captured until now.
    func stop(failure: PipelineFailure?) async -> PipelineSummary {
        let summary = await stream?.pipeline.stop(failure: failure)
        await stream?.speech?.stop()
        await tracks?.stop()
        return summary ?? PipelineSummary(segments: 0, frames: 0, framesDropped: 0)
    }
}
