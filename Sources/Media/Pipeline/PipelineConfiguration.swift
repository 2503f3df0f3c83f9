public import HLS
public import Stage
public import Streams

/// The configuration of one stream: picture, sound and output.
public struct PipelineConfiguration: Sendable {
    public var ladder: Ladder
    public var segmentDuration: Duration
    public var playlist: PlaylistMode
    public var container = StreamContainer.transportStream
    /// Frames in each part of a segment of fragments, for low-latency HLS; nil without parts.
    public var partFrames: Int?
    /// Absolute path of the stream's own directory; created if missing.
    public var outputDirectory: String
    /// Shown on the slate.
    public var title: String
    /// The layout at the start.
    public var layout: Layout
    /// The trade-off between picture quality and CPU: one of `H264Encoder.presets`.
    public var preset: String
    /// The H.264 encoder: `x264`, `nvenc`, `qsv`, `vaapi` or `auto`; see `H264Backend.candidates`.
    public var encoder: String
    /// The time for network jitter and repair before a frame is late; each peer's own delay adapts
    /// within it. Part of the latency budget.
    public var playoutDelay: PlayoutDelayRange
    /// Which roles are heard, and whether there is any picture.
    public var sound: SoundOptions
    /// Whether segments are logged and never removed, so that assets can be made of them.
    public var isRecorded: Bool
    /// Whether recording is paused at the start.
    public var isRecordingPaused: Bool
    /// Where the stream is pushed to.
    public var pushes = Pushes()
    /// Hears the voices; nil for none.
    public var listener: (any SoundListener)?
    /// The languages of its captions.
    public var captions = StreamCaptions()

    /// The outputs at the start, and the hosts that any may have.
    public struct Pushes: Sendable {
        public var hosts: PushHosts
        public var outputs: [SecretOutput]

        public init(hosts: PushHosts = PushHosts(), outputs: [SecretOutput] = []) {
            self.hosts = hosts
            self.outputs = outputs
        }
    }

    public init(
        ladder: Ladder, segmentDuration: Duration = .seconds(2), playlist: PlaylistMode = .event,
        outputDirectory: String, title: String,
        layout: Layout = Layout(), preset: String = "balanced", encoder: String = "x264",
        playoutDelay: PlayoutDelayRange = PlayoutDelayRange(),
        sound: SoundOptions = SoundOptions(), isRecorded: Bool = false,
        isRecordingPaused: Bool = false
    ) {
        self.ladder = ladder
        self.segmentDuration = segmentDuration
        self.playlist = playlist
        self.outputDirectory = outputDirectory
        self.title = title
        self.layout = layout
        self.preset = preset
        self.encoder = encoder
        self.playoutDelay = playoutDelay
        self.sound = sound
        self.isRecorded = isRecorded
        self.isRecordingPaused = isRecordingPaused
    }

    /// Frames per second of every layer.
    public var frameRate: Int { ladder.frameRate }
}
