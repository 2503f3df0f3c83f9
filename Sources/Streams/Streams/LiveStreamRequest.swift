public import HLS
public import MediaKernel

/// A validated request to stream or record a room.
public struct LiveStreamRequest: Hashable, Sendable {
    public var kind: LiveStream.Kind
    /// At least one. Each variant becomes its own stream.
    public var variants: [LiveStreamVariant]
    /// Nil for the destination's choice.
    public var recording: RecordingOptions?
    /// The name of one of the policy's destinations; empty for the default one. Stored and
    /// returned.
    public var destination: String
    /// Nil for the configured ladder.
    public var ladder: Ladder?
    public var audio: LiveStreamAudio
    /// Differences from the configured layout, unchecked.
    public var layout: JSONValue?
    /// The resolution of a recording; nil for that of the destination or the settings.
    public var resolution: Resolution?
    /// Nil for the configured duration.
    public var segmentDuration: Duration?
    /// Whether pages of the web say when they are ready.
    public var awaitsStartSignal = false
    /// Nil for the container of the destination or the settings.
    public var container: StreamContainer?
    /// Nil for the captions of the destination or the settings.
    public var captions: StreamCaptions?
    /// Whether segments have parts; nil for the choice of the destination or the settings.
    public var isLowLatency: Bool?
    /// Where the stream is to be pushed to.
    public var outputs: [PushTarget] = []
    /// How long it goes on in a room that is empty, or in which nobody publishes; nil for the choice
    /// of the destination or the settings.
    public var patience: Duration?

    /// Luma samples.
    public struct Resolution: Hashable, Sendable, Codable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    public init(
        kind: LiveStream.Kind = .stream,
        variants: [LiveStreamVariant] = [LiveStreamVariant()],
        recording: RecordingOptions? = nil, destination: String = "", ladder: Ladder? = nil,
        audio: LiveStreamAudio = LiveStreamAudio(), layout: JSONValue? = nil
    ) {
        self.kind = kind
        self.variants = variants.isEmpty ? [LiveStreamVariant()] : variants
        self.recording = recording
        self.destination = destination
        self.ladder = ladder
        self.audio = audio
        self.layout = layout
    }
}
