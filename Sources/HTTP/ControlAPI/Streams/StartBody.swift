public import HLS
public import MediaKernel
import Rooms
public import Streams

/// The body of a start request. All fields are optional.
struct StartBody: RequestBody {
    static let fields = BodyFields(
        CodingKeys.self,
        [
            .recording: .object(RecordingOptions.fields),
            .variants: .array(BodyFields(Variant.CodingKeys.self)),
            .ladder: .array(BodyFields(Layer.CodingKeys.self)),
            .audio: .object(LiveStreamAudio.fields),
            .layout: .object(.layout),
            .captions: .object(StreamCaptions.fields),
        ], passed: ["transcription"])

    var meetingURL: String?
    var metadata: String?
    var recording: RecordingOptions?
    var destination: String?
    var variants: [Variant]?
    var ladder: [Layer]?
    var audio: LiveStreamAudio?
    var layout: JSONValue?
    var segmentSeconds: Double?
    var awaitStartSignal: Bool?
    var container: String?
    var captions: StreamCaptions?
    var lowLatency: Bool?
    var outputs: [String]?

    struct Variant: Decodable {
        var meetingURL: String?
        var metadata: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case meetingURL = "meeting_url"
            case metadata
        }
    }

    /// One rung in the form of 100ms' templates, bitrates in kbit/s.
    struct Layer: Decodable {
        var width: Int
        var height: Int
        var videoBitrate: Int
        var audioBitrate: Int?
        var videoFrameRate: Int?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case width, height, videoBitrate, audioBitrate, videoFrameRate
        }
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case meetingURL = "meeting_url"
        case metadata
        case recording
        case destination
        case variants
        case ladder
        case audio
        case layout
        case segmentSeconds = "segment_seconds"
        case awaitStartSignal = "await_start_signal"
        case container, captions
        case lowLatency = "low_latency"
        case outputs = "rtmp_urls"
    }

    /// - Parameter frameRate: of layers without one.
    func checked(
        room: RoomID, authorities: Set<String>, frameRate: Int
    ) throws(APIError) -> LiveStreamRequest {
        var asked: [Variant] = variants ?? []
        if asked.isEmpty {
            asked = [Variant(meetingURL: meetingURL, metadata: metadata)]
        } else if meetingURL != nil || metadata != nil {
            throw .badRequest(
                "malformed body", "give meeting_url and metadata, or variants, not both")
        }
        var request = try LiveStreamRequest(
            checking: asked.map { ($0.meetingURL, $0.metadata) }, recording: recording,
            destination: destination ?? "", ladder: try checkedLadder(frameRate: frameRate),
            audio: try audio?.checked() ?? LiveStreamAudio(), layout: layout, room: room,
            authorities: authorities)
        guard recording?.tracks?.composite != false else {
            throw .badRequest("tracks are not valid", "a live stream always has its picture")
        }
        request.segmentDuration = try segmentSeconds.map(Self.checkedSegments)
        request.awaitsStartSignal = awaitStartSignal ?? false
        if request.awaitsStartSignal, !request.variants.contains(where: \.isPage) {
            throw .badRequest(
                "await_start_signal is not valid", "only a page of the web can give the signal")
        }
        request.container = try container.map(Self.checkedContainer)
        request.captions = try captions?.checked()
        request.isLowLatency = lowLatency
        guard lowLatency != true || request.container != .transportStream else {
            throw .badRequest("low_latency is not valid", StreamContainer.lowLatencyForm)
        }
        request.outputs = try PushTarget.checked(outputs)
        guard request.outputs.isEmpty || request.variants.count == 1 else {
            throw .badRequest("rtmp_urls are not valid", "only a single variant is pushed")
        }
        return request
    }

    private static func checkedContainer(_ name: String) throws(APIError) -> StreamContainer {
        guard let container = StreamContainer(rawValue: name) else {
            throw .badRequest("container is not valid", StreamContainer.form)
        }
        return container
    }

    private static func checkedSegments(seconds: Double) throws(APIError) -> Duration {
        let range = StreamPlan.segmentSeconds
        guard range.contains(seconds) else {
            throw .badRequest(
                "segment_seconds is not valid", "\(range.lowerBound) to \(range.upperBound) seconds"
            )
        }
        return .milliseconds(Int((seconds * 1000).rounded()))
    }

    private func checkedLadder(frameRate: Int) throws(APIError) -> Ladder? {
        guard let ladder else { return nil }
        // Bounded here so that kbit/s times 1000 cannot overflow.
        let bitrates = 1...1_000_000
        var layers: [HLS.Layer] = []
        for layer in ladder {
            let audio = layer.audioBitrate ?? 96
            guard bitrates.contains(layer.videoBitrate), bitrates.contains(audio) else {
                throw .badRequest("ladder is not valid", "bitrates are in kbit/s, 1 to 1000000")
            }
            layers.append(
                HLS.Layer(
                    width: layer.width, height: layer.height,
                    frameRate: layer.videoFrameRate ?? frameRate,
                    videoBitrate: layer.videoBitrate * 1000, audioBitrate: audio * 1000))
        }
        do {
            return try Ladder(validating: layers)
        } catch {
            throw .badRequest("ladder is not valid", "\(error)")
        }
    }
}

extension LiveStreamRequest {
    /// Checks a start request from any source.
    ///
    /// - Parameters:
    ///   - variants: the meeting URL and the metadata of each; empty for the default view.
    ///   - authorities: `host[:port]` by which a meeting URL means this server.
    /// - Throws: a 400 that names the field.
    public init(
        checking variants: [(meetingURL: String?, metadata: String?)],
        recording: RecordingOptions? = nil, destination: String = "", ladder: Ladder? = nil,
        audio: LiveStreamAudio = LiveStreamAudio(), layout: JSONValue? = nil,
        room: RoomID, authorities: Set<String>
    ) throws(APIError) {
        guard variants.count <= Limits.variantsPerRequest else {
            throw .badRequest(
                "too many variants", "at most \(Limits.variantsPerRequest) in one request")
        }
        var checked: [LiveStreamVariant] = []
        for (url, metadata) in variants {
            checked.append(
                try Self.checked(
                    LiveStreamVariant(meetingURL: url ?? "", metadata: metadata ?? ""),
                    room: room, authorities: authorities))
        }
        guard Set(checked.map(\.metadata)).count == checked.count else {
            throw .badRequest(
                "variants are not distinct", "variants of the same view need different metadata")
        }
        if let fault = recording?.thumbnails?.fault {
            throw .badRequest("thumbnails are not valid", fault)
        }
        if let fault = recording?.tracks?.fault {
            throw .badRequest("tracks are not valid", fault)
        }
        guard destination.utf8.count <= Limits.destinationBytes else {
            throw .badRequest(
                "destination is too long", "at most \(Limits.destinationBytes) bytes")
        }
        self.init(
            variants: checked, recording: recording, destination: destination, ladder: ladder,
            audio: audio, layout: layout)
    }

    private static func checked(
        _ variant: LiveStreamVariant, room: RoomID, authorities: Set<String>
    ) throws(APIError) -> LiveStreamVariant {
        guard variant.metadata.utf8.count <= Limits.metadataBytes else {
            throw .badRequest("metadata is too long", "at most \(Limits.metadataBytes) bytes")
        }
        guard !variant.meetingURL.isEmpty else { return variant }
        var variant = variant
        switch MeetingURL.judge(variant.meetingURL, room: room, authorities: authorities) {
        case .defaultView, .source: break
        case .page: variant.isPage = true
        case .refused(let reason): throw .badRequest("meeting_url is not supported", reason)
        }
        return variant
    }
}
