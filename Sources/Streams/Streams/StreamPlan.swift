public import HLS
public import MediaKernel
public import Stage

/// All parameters of a stream: the request, completed by the destination and the settings. The bot,
/// its replacement, the record and the control API all have the whole plan.
///
/// So a new option needs a field here, a key in ``CodingKeys``, code that sets it, and code that
/// reads it.
public struct StreamPlan: Hashable, Sendable {
    public var variant: LiveStreamVariant
    /// Nil if nothing is recorded.
    public var recording: LiveStreamRecording?
    /// As in the request; empty for the default one.
    public var destination: String
    public var audio: LiveStreamAudio
    public var ladder: Ladder
    public var segmentDuration: Duration
    public var playlist: PlaylistMode
    public var container = StreamContainer.transportStream
    public var captions = StreamCaptions()
    /// The frames of each part of a segment of fragments, for low-latency HLS; nil without parts.
    public var partFrames: Int?
    public var layout: Layout
    /// The hosts from which the layout and peers may load images.
    public var pictureHosts: WebHosts
    /// The hosts allowed for the source of the variant; none for a stream of the room.
    public var sourceHosts: WebHosts
    /// Nil for a stream that shows no page.
    public var page: PagePlan?
    /// One of `H264Encoder.presets`.
    public var preset: String
    /// The name of the video encoder.
    public var encoder: String
    /// Where the stream is pushed to; may change on air.
    public var outputs: [StreamOutput] = []
    /// The number of the latest output: numbers are not used again.
    public var lastOutput = 0
    /// The hosts that it may be pushed to.
    public var pushHosts = PushHosts()

    public init(
        variant: LiveStreamVariant = LiveStreamVariant(), recording: LiveStreamRecording? = nil,
        destination: String = "", audio: LiveStreamAudio = LiveStreamAudio(),
        ladder: Ladder = .standard, segmentDuration: Duration = .seconds(2),
        playlist: PlaylistMode = .event, layout: Layout = Layout(),
        pictureHosts: WebHosts = WebHosts(), sourceHosts: WebHosts = WebHosts(),
        page: PagePlan? = nil, preset: String = "balanced",
        encoder: String = "x264"
    ) {
        self.variant = variant
        self.recording = recording
        self.destination = destination
        self.audio = audio
        self.ladder = ladder
        self.segmentDuration = segmentDuration
        self.playlist = playlist
        self.layout = layout
        self.pictureHosts = pictureHosts
        self.sourceHosts = sourceHosts
        self.page = page
        self.preset = preset
        self.encoder = encoder
    }

    /// The allowed durations of segments.
    public static let segmentSeconds = 0.5...10

    /// Nil for a stream without a picture.
    public var frameRate: Double? { audio.only ? nil : Double(ladder.frameRate) }
}

/// The form in storage and in a bot's configuration.
extension StreamPlan: Codable {
    enum CodingKeys: String, CodingKey {
        case metadata, recording, destination, audio, ladder, playlist, layout, preset, encoder
        case container, captions
        case partFrames = "part_frames"
        case meetingURL = "meeting_url"
        case segmentSeconds = "segment_seconds"
        case pictureHosts = "picture_hosts"
        case picturesOverHTTP = "picture_http"
        case sourceHosts = "source_hosts"
        case page, conference
        case outputs
        case lastOutput = "last_output"
        case pushHosts = "push_hosts"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(variant.meetingURL, forKey: .meetingURL)
        try container.encode(variant.metadata, forKey: .metadata)
        try container.encodeIfPresent(recording, forKey: .recording)
        try container.encode(destination, forKey: .destination)
        try container.encode(audio, forKey: .audio)
        try container.encode(ladder.layers.map { Rung($0) }, forKey: .ladder)
        try container.encode(segmentDuration.inSeconds, forKey: .segmentSeconds)
        try container.encode(Playlist(playlist), forKey: .playlist)
        if self.container != .transportStream {
            try container.encode(self.container, forKey: .container)
        }
        if !captions.languages.isEmpty { try container.encode(captions, forKey: .captions) }
        try container.encodeIfPresent(partFrames, forKey: .partFrames)
        try container.encode(layout.json, forKey: .layout)
        try container.encode(pictureHosts.names, forKey: .pictureHosts)
        try container.encode(pictureHosts.allowsHTTP, forKey: .picturesOverHTTP)
        if !sourceHosts.names.isEmpty {
            try container.encode(sourceHosts.names, forKey: .sourceHosts)
        }
        try container.encodeIfPresent(page, forKey: .page)
        try container.encodeIfPresent(variant.conference, forKey: .conference)
        if wasPushed { try container.encode(lastOutput, forKey: .lastOutput) }
        if !outputs.isEmpty { try container.encode(outputs, forKey: .outputs) }
        if !pushHosts.names.isEmpty { try container.encode(pushHosts.names, forKey: .pushHosts) }
        try container.encode(preset, forKey: .preset)
        try container.encode(self.encoder, forKey: .encoder)
    }

    /// Plans written by hand, for `roomcast bot`, may leave out fields that have a default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let page = try container.decodeIfPresent(PagePlan.self, forKey: .page)
        self.init(
            variant: LiveStreamVariant(
                meetingURL: try container.decodeIfPresent(String.self, forKey: .meetingURL) ?? "",
                metadata: try container.decodeIfPresent(String.self, forKey: .metadata) ?? "",
                isPage: page != nil,
                conference: try container.decodeIfPresent(
                    JitsiConference.self, forKey: .conference)),
            recording: try container.decodeIfPresent(LiveStreamRecording.self, forKey: .recording),
            destination: try container.decodeIfPresent(String.self, forKey: .destination) ?? "",
            audio: try container.decodeIfPresent(LiveStreamAudio.self, forKey: .audio)
                ?? LiveStreamAudio(),
            ladder: try container.checked(.ladder, [Rung].self) { (rungs) throws(LadderError) in
                try Ladder(validating: rungs.map(\.layer))
            },
            segmentDuration: .seconds(try container.decode(Double.self, forKey: .segmentSeconds)),
            playlist: try container.checked(.playlist, Playlist.self) {
                (playlist) throws(Playlist.Unknown) in try playlist.checked()
            },
            layout: try container.layout(.layout),
            pictureHosts: try container.hosts(
                .pictureHosts,
                allowsHTTP: try container.decodeIfPresent(Bool.self, forKey: .picturesOverHTTP)
                    ?? false),
            sourceHosts: container.contains(.sourceHosts)
                ? try container.hosts(.sourceHosts, allowsHTTP: true) : WebHosts(),
            page: page,
            preset: try container.decode(String.self, forKey: .preset),
            encoder: try container.decode(String.self, forKey: .encoder))
        self.container =
            try container.decodeIfPresent(StreamContainer.self, forKey: .container)
            ?? .transportStream
        captions =
            try container.decodeIfPresent(StreamCaptions.self, forKey: .captions)
            ?? StreamCaptions()
        partFrames = try container.decodeIfPresent(Int.self, forKey: .partFrames)
        outputs = try container.decodeIfPresent([StreamOutput].self, forKey: .outputs) ?? []
        lastOutput = try container.decodeIfPresent(Int.self, forKey: .lastOutput) ?? 0
        let names = try container.decodeIfPresent([String].self, forKey: .pushHosts) ?? []
        guard let hosts = PushHosts(names) else {
            throw DecodingError.dataCorruptedError(
                forKey: .pushHosts, in: container, debugDescription: "\(names) are not hosts")
        }
        pushHosts = hosts
    }
}

extension KeyedDecodingContainer<StreamPlan.CodingKeys> {
    /// - Throws: `DecodingError` with the reason of the check.
    fileprivate func checked<Written: Decodable, Value, Refusal: Error>(
        _ key: Key, _ type: Written.Type, _ check: (Written) throws(Refusal) -> Value
    ) throws -> Value {
        let written = try decode(type, forKey: key)
        do throws(Refusal) {
            return try check(written)
        } catch {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(error)")
        }
    }

    /// Missing fields get the values of `Layout()`.
    func layout(_ key: Key) throws -> Layout {
        guard contains(key) else { return Layout() }
        return try checked(key, JSONValue.self) { (json) throws(LayoutError) in
            var layout = Layout()
            try layout.merge(json)
            return layout
        }
    }
}

private struct Playlist: Codable {
    struct Unknown: Error, CustomStringConvertible {
        var description: String
    }

    var mode: String
    var window: Int?

    init(_ mode: PlaylistMode) {
        switch mode {
        case .event: self.mode = "event"
        case .live(let window): (self.mode, self.window) = ("live", window)
        }
    }

    func checked() throws(Unknown) -> PlaylistMode {
        switch (mode, window) {
        case ("event", _): return .event
        case ("live", let window?) where window > 0: return .live(window: window)
        default: throw Unknown(description: "mode '\(mode)' is not known")
        }
    }
}

/// A layer of the ladder.
private struct Rung: Codable {
    var width: Int
    var height: Int
    var frameRate: Int
    var videoBitrate: Int
    var audioBitrate: Int

    enum CodingKeys: String, CodingKey {
        case width, height
        case frameRate = "frame_rate"
        case videoBitrate = "video_bitrate"
        case audioBitrate = "audio_bitrate"
    }

    init(_ layer: Layer) {
        width = layer.width
        height = layer.height
        frameRate = layer.frameRate
        videoBitrate = layer.videoBitrate
        audioBitrate = layer.audioBitrate
    }

    var layer: Layer {
        Layer(
            width: width, height: height, frameRate: frameRate, videoBitrate: videoBitrate,
            audioBitrate: audioBitrate)
    }
}
