public import HLS
public import MediaKernel

/// A checked order to start streaming or recording a room.
public struct LiveStreamRequest: Hashable, Sendable {
    public var kind: LiveStream.Kind
    /// At least one. Each gets a stream of its own.
    public var variants: [LiveStreamVariant]
    /// Nil for what the destination says.
    public var recording: RecordingWish?
    /// The name of a destination of the policy; empty for the default one. Stored and returned.
    public var destination: String
    /// Nil means the configured ladder.
    public var ladder: Ladder?
    public var audio: LiveStreamAudio
    /// What is to differ from the configured layout, not checked yet.
    public var layout: JSONValue?
    /// Of a recording's picture; nil for what its destination or the settings say.
    public var resolution: Resolution?
    /// Nil for the configured one.
    public var segmentDuration: Duration?

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
        recording: RecordingWish? = nil, destination: String = "", ladder: Ladder? = nil,
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
