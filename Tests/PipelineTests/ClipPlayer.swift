import Clocks
import Codec
import Foundation
import MediaKernel
import Synchronization

@testable import Pipeline

/// Sends a clip of the repository into a pipeline as if its packets came from the network.
///
/// Arrival times are exact regardless of the machine: a packet is passed in a little early, with
/// the time at which it would have arrived. So a busy machine does not change the output.
struct ClipPlayer {
    static let camera: TrackID = "ann-camera"
    static let voice: TrackID = "ann-voice"
    static let ann = SourcePeer(
        id: "ann", name: "Ann", joinedAt: 1,
        tracks: [
            SourceTrack(id: camera, isVideo: true, isMuted: false),
            SourceTrack(id: voice, isVideo: false, isMuted: false),
        ])

    private static let lead: Duration = .milliseconds(150)
    /// A clip that was sent later than this cannot be judged with a playout delay of 600 ms: with
    /// the lead, a packet then arrives shortly before its frame.
    static let latenessMaximum: Duration = .milliseconds(600)
    /// The start of the tracks' RTP clocks, so that nothing relies on zero.
    private static let videoOrigin: Int64 = 3_000_000
    private static let audioOrigin: Int64 = 77_000

    private let pipeline: StreamPipeline
    private let reader: MediaFileReader
    private let videoTrack: Int

    init(into pipeline: StreamPipeline) throws {
        self.pipeline = pipeline
        let clip = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../fixtures/media/ann.webm").standardized.path
        reader = try MediaFileReader(path: clip)
        videoTrack = reader.tracks.first { $0.isVideo }?.index ?? 0
        pipeline.show([Self.ann])
        pipeline.mediaBegan(Self.camera, codec: .vp8)
        pipeline.mediaBegan(Self.voice, codec: .opus)
    }

    /// Returns when the clip has been sent, on a thread that shares nothing with other tests.
    ///
    /// - Returns: the largest delay of a packet behind its planned time.
    @discardableResult
    func play(seconds: Double) async -> Duration {
        // Safe because only the new thread touches the reader, and we wait for it.
        nonisolated(unsafe) let player = self
        let lateness = Mutex(Duration.zero)
        await MediaThread(name: "clip") {
            let worst = player.send(seconds: seconds)
            lateness.withLock { $0 = worst }
        }.join()
        return lateness.withLock { $0 }
    }

    private func send(seconds: Double) -> Duration {
        var worst = Duration.zero
        let start = MonotonicClock.now + Self.lead
        let ntp = NTPTime(unixNanoseconds: UnixTime.now.nanoseconds)
        for (track, origin) in [(Self.camera, Self.videoOrigin), (Self.voice, Self.audioOrigin)] {
            pipeline.senderReport(track, rtpTimestamp: origin, ntp: ntp, at: start)
        }
        while let packet = try? reader.read(), packet.pts.seconds < seconds {
            let arrival = start + .nanoseconds(packet.pts.rescaled(to: 1_000_000_000).ticks)
            let wait = (arrival - Self.lead) - MonotonicClock.now
            if wait > .zero { Thread.sleep(forTimeInterval: wait.inSeconds) }
            worst = max(worst, MonotonicClock.now - (arrival - Self.lead))
            let isVideo = packet.track == videoTrack
            let origin = isVideo ? Self.videoOrigin : Self.audioOrigin
            pipeline.receive(
                IncomingFrame(
                    data: packet.data, timestamp: origin + packet.pts.ticks,
                    isKeyframe: packet.isKeyframe, arrival: arrival),
                of: isVideo ? Self.camera : Self.voice, isVideo: isVideo)
        }
        return worst
    }
}
