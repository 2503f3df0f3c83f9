internal import MediaKernel
public import Rooms

// The destinations and settings of a template (docs/api/rooms.md, "Templates"). Any field may be missing.

/// `hlsDestinations`. Roomcast's own are `container`, `captions`, `lowLatency`, `idleTimeout`, `autoStart`,
/// `signedPlaybackSeconds` and `layout`.
extension HLSDestination: Codable {
    private static let fields: [TemplateField<Self>] = [
        TemplateField("name", \.name),
        TemplateField("maxDuration", \.maxDuration),
        TemplateField("layers", \.layers),
        TemplateField("videoFrameRate", \.videoFrameRate),
        TemplateField("playlistType", \.playlistType),
        TemplateField("numPlaylistSegments", \.numPlaylistSegments),
        TemplateField("container", \.container),
        TemplateField("captions", \.captions),
        TemplateField("lowLatency", \.lowLatency),
        TemplateField("autoStopTimeout", \.autoStopTimeout),
        TemplateField("idleTimeout", \.idleTimeout),
        TemplateField("autoStart", \.autoStart),
        TemplateField("signedPlaybackSeconds", \.signedPlaybackSeconds),
        TemplateField("recording", \.recording),
        TemplateField("layout", \.layout),
    ]

    public init(from decoder: any Decoder) throws {
        self.init()
        try decoder.read(Self.fields, into: &self)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(Self.fields, of: self) }
}

extension HLSDestination.Layer: Codable {
    private static let fields: [TemplateField<Self>] = [
        TemplateField("width", \.width),
        TemplateField("height", \.height),
        TemplateField("videoBitrate", \.videoBitrate),
        TemplateField("audioBitrate", \.audioBitrate),
    ]

    public init(from decoder: any Decoder) throws {
        self.init()
        try decoder.read(Self.fields, into: &self)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(Self.fields, of: self) }
}

extension HLSDestination.Recording: Codable {
    private static let fields: [TemplateField<Self>] = [
        TemplateField("hlsVod", \.hlsVod),
        TemplateField("singleFilePerLayer", \.singleFilePerLayer),
        TemplateField("layers", \.layers),
        TemplateField("thumbnails", \.thumbnails),
    ]

    public init(from decoder: any Decoder) throws {
        self.init()
        try decoder.read(Self.fields, into: &self)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(Self.fields, of: self) }
}

/// `browserRecordings`, named after the browser with which 100ms records. Roomcast's own are
/// `idleTimeout`, `autoStart`, `preset`, `keptSeconds` and `layout`.
extension RecordingDestination: Codable {
    private static let fields: [TemplateField<Self>] = [
        TemplateField("name", \.name),
        TemplateField("width", \.width),
        TemplateField("height", \.height),
        TemplateField("maxDuration", \.maxDuration),
        TemplateField("autoStopTimeout", \.autoStopTimeout),
        TemplateField("idleTimeout", \.idleTimeout),
        TemplateField("autoStart", \.autoStart),
        TemplateField("preset", \.preset),
        TemplateField("keptSeconds", \.keptSeconds),
        TemplateField("thumbnails", \.thumbnails),
        TemplateField("layout", \.layout),
    ]

    public init(from decoder: any Decoder) throws {
        self.init()
        try decoder.read(Self.fields, into: &self)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(Self.fields, of: self) }
}

extension RecordingPreset: Codable {}

/// `settings.roomState`.
extension RoomStateSettings: Codable {
    private static let fields: [TemplateField<Self>] = [
        TemplateField("enabled", always: \.isEnabled),
        TemplateField("sendPeerList", always: \.sendsPeers),
        TemplateField("messageInterval", always: \.interval),
    ]

    /// Missing fields get 100ms' defaults.
    public init(from decoder: any Decoder) throws {
        self.init()
        try decoder.read(Self.fields, into: &self)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(Self.fields, of: self) }
}
