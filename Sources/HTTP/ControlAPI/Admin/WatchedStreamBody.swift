import HLS
import MediaKernel
import Rooms
import Stage
import Streams

/// A stream on the operator's page.
struct WatchedStreamBody: Encodable {
    struct Layer: Encodable {
        var width: Int
        var height: Int
        /// Bits per second, as planned and as made; nil until known.
        var bitrateWanted: Int
        var bitrate: Int?

        enum CodingKeys: String, CodingKey {
            case width, height, bitrate
            case bitrateWanted = "bitrate_wanted"
        }
    }

    private let watched: WatchedStream
    private let viewers: ViewerCensus.Count

    init(_ watched: WatchedStream, viewers: ViewerCensus.Count) {
        self.watched = watched
        self.viewers = viewers
    }

    enum CodingKeys: String, CodingKey {
        case id, kind, status, layers, cores, memory, written, viewers, degradation, layout,
            progress
        case room = "room_id"
        case variant = "metadata"
        case source = "meeting_url"
        case createdAt = "created_at"
        case startedAt = "started_at"
        case stoppedAt = "stopped_at"
        case reason = "stop_reason"
        case code = "stop_code"
        case frameRateWanted = "frame_rate_wanted"
        case frameRate = "frame_rate"
        case restarts = "bot_restarts"
        case isRecorded = "recorded"
        case isRecordingPaused = "recording_paused"
        case deaths = "process_deaths"
    }

    func encode(to encoder: any Encoder) throws {
        let (stream, load) = (watched.stream, watched.load)
        let plan = stream.plan
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stream.id, forKey: .id)
        try container.encode(stream.kind.rawValue, forKey: .kind)
        try container.encode(stream.room, forKey: .room)
        try container.encode(plan.variant.metadata, forKey: .variant)
        try container.encode(plan.variant.shownURL, forKey: .source)
        try container.encode(stream.status.rawValue, forKey: .status)
        try container.encode(stream.createdAt.description, forKey: .createdAt)
        try container.encode(stream.startedAt?.description, forKey: .startedAt)
        try container.encode(stream.stoppedAt?.description, forKey: .stoppedAt)
        try container.encode(stream.end?.description, forKey: .reason)
        try container.encode(stream.end?.code, forKey: .code)
        try container.encode(plan.frameRate, forKey: .frameRateWanted)
        let isShown = stream.status.isOnAir && plan.frameRate != nil
        try container.encode(isShown ? stream.frameRateNow : nil, forKey: .frameRate)
        let layers = plan.ladder.layers.enumerated().map { index, layer in
            Layer(
                width: layer.width, height: layer.height,
                bitrateWanted: layer.videoBitrate + layer.audioBitrate,
                bitrate: load.bitrates.indices.contains(index) ? load.bitrates[index] : nil)
        }
        try container.encode(layers, forKey: .layers)
        try container.encode(load.cores, forKey: .cores)
        try container.encode(load.memory, forKey: .memory)
        try container.encode(load.written, forKey: .written)
        try container.encode(viewers, forKey: .viewers)
        try container.encode(stream.health.restarts, forKey: .restarts)
        try container.encode(
            stream.health.degradation.map {
                LiveStreamBody.DegradationBody($0, frameRate: stream.frameRateNow)
            }, forKey: .degradation)
        try container.encode(plan.layout.json, forKey: .layout)
        try container.encode(plan.recording?.isWanted == true, forKey: .isRecorded)
        try container.encode(stream.recordingPause == .paused, forKey: .isRecordingPaused)
        try container.encode(stream.finishing.permille.map { Double($0) / 1000 }, forKey: .progress)
        try container.encode(stream.health.deaths.map(ProcessDeathBody.init), forKey: .deaths)
    }
}
