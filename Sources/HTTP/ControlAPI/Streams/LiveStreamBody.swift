import Catalogue
import MediaKernel
import Rooms
import Stage
import Streams

/// A live stream in the control API: 100ms' object, with `null` for values that are not known yet.
struct LiveStreamBody: Encodable {
    var stream: LiveStream
    /// All streams of one start request; otherwise the stream's own variant.
    var variants: [LiveStream]
    var assets: [CatalogueAsset]
    /// Nil in the answer to a start.
    var viewers: ViewerCensus.Count?

    init(
        _ stream: LiveStream, variants: [LiveStream]? = nil, assets: [CatalogueAsset] = [],
        viewers: ViewerCensus.Count? = nil
    ) {
        self.stream = stream
        self.assets = assets
        self.viewers = viewers
        self.variants = variants ?? [stream]
    }

    enum CodingKeys: String, CodingKey {
        case metadata
        case playback
        case recording
        case audio
        case layout, captions
        case lowLatency = "low_latency"
        case recordingAssets = "recording_assets"
        case degradation
        case tracksLeftOut = "tracks_left_out"
        case frameRate = "frame_rate"
        case viewers
        case restarts = "bot_restarts"
        case upload = "live_upload"
        case isRecordingPaused = "recording_paused"
        case progress = "post_processing_progress"
        case deaths = "process_deaths"
        case finisherPosition = "post_processing_position"
        case finishingError = "post_processing_error"
        case variants
    }

    func encode(to encoder: any Encoder) throws {
        try StreamFields(stream).encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stream.plan.variant.metadata, forKey: .metadata)
        try container.encode(PlaybackBody(stream), forKey: .playback)
        try container.encode(stream.plan.recording, forKey: .recording)
        try container.encode(stream.recordingPause == .paused, forKey: .isRecordingPaused)
        try container.encode(stream.plan.audio, forKey: .audio)
        try container.encode(stream.plan.layout.json, forKey: .layout)
        if !stream.plan.captions.languages.isEmpty {
            try container.encode(stream.plan.captions, forKey: .captions)
        }
        if stream.plan.partFrames != nil { try container.encode(true, forKey: .lowLatency) }
        // 100ms shows null until the first asset exists.
        try container.encode(
            assets.isEmpty ? nil : assets.map { RecordingAssetBody($0) },
            forKey: .recordingAssets)
        try container.encode(
            stream.health.degradation.map { DegradationBody($0, frameRate: stream.frameRateNow) },
            forKey: .degradation)
        try container.encode(
            stream.health.tracksLeftOut.map(LeftOutTrackBody.init), forKey: .tracksLeftOut)
        try container.encode(
            stream.status.isOnAir && stream.plan.frameRate != nil ? stream.frameRateNow : nil,
            forKey: .frameRate)
        try container.encodeIfPresent(viewers, forKey: .viewers)
        try container.encode(stream.health.restarts, forKey: .restarts)
        try container.encode(stream.upload.map(LiveStreamUploadBody.init), forKey: .upload)
        try container.encode(
            stream.finishing.permille.map { Double($0) / 1000 }, forKey: .progress)
        try container.encode(stream.health.deaths.map(ProcessDeathBody.init), forKey: .deaths)
        try container.encode(stream.finishing.position, forKey: .finisherPosition)
        try container.encode(stream.finishing.error, forKey: .finishingError)
        try container.encode(variants.map(VariantBody.init), forKey: .variants)
    }

    struct PlaybackBody: Encodable {
        var url: String
        /// Of fragments beside the transport stream; nil without them.
        var fragmentsURL: String?

        enum CodingKeys: String, CodingKey {
            case url
            case fragmentsURL = "cmaf_url"
        }

        init(_ stream: LiveStream) {
            url = stream.playback.url
            fragmentsURL = stream.fragmentsURL
        }
    }

    struct LeftOutTrackBody: Encodable {
        var trackID: TrackID
        var peerID: PeerID
        var peerName: String
        var reason: String

        init(_ track: HLSVariant.LeftOutTrack) {
            (trackID, peerID) = (track.track, track.peer)
            (peerName, reason) = (track.name, track.reason)
        }

        enum CodingKeys: String, CodingKey {
            case trackID = "track_id"
            case peerID = "peer_id"
            case peerName = "peer_name"
            case reason
        }
    }

    struct DegradationBody: Encodable {
        var degradation: LiveStream.Degradation
        /// The measured frame rate.
        var frameRate: Double

        init(_ degradation: LiveStream.Degradation, frameRate: Double) {
            self.degradation = degradation
            self.frameRate = frameRate
        }

        enum CodingKeys: String, CodingKey {
            case frameRate = "frame_rate"
            case layersThinned = "layers_thinned"
            case videosLeftOut = "videos_left_out"
            case changes
            case changedAt = "changed_at"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(frameRate, forKey: .frameRate)
            try container.encode(degradation.layersThinned, forKey: .layersThinned)
            try container.encode(degradation.videosLeftOut, forKey: .videosLeftOut)
            try container.encode(degradation.changes, forKey: .changes)
            try container.encode(degradation.changedAt.description, forKey: .changedAt)
        }
    }

    struct VariantBody: Encodable {
        var id: StreamID
        var meetingURL: String
        var metadata: String
        var playback: PlaybackBody
        var status: String

        init(_ stream: LiveStream) {
            id = stream.id
            meetingURL = stream.plan.variant.shownURL
            metadata = stream.plan.variant.metadata
            playback = PlaybackBody(stream)
            status = stream.status.rawValue
        }

        enum CodingKeys: String, CodingKey {
            case id
            case meetingURL = "meeting_url"
            case metadata
            case playback
            case status
        }
    }
}
