public import HLS
public import Stage

/// What one stream is to look and sound like, and where it goes.
public struct PipelineConfiguration: Sendable {
    public var ladder: Ladder
    public var segmentDuration: Duration
    public var playlist: PlaylistMode
    /// Absolute path of the stream's own directory; made when it does not exist.
    public var outputDirectory: String
    /// Shown on the slate.
    public var title: String
    /// With which the stream begins.
    public var layout: Layout
    /// The trade of picture for CPU: one of `H264Encoder.presets`.
    public var preset: String
    /// What encodes: `x264`, `nvenc`, `qsv`, `vaapi` or `auto`; see `H264Backend.candidates`.
    public var encoder: String
    /// What network jitter and repair may cost before a frame is late; each peer's own delay
    /// adapts within. Part of the latency budget.
    public var playoutDelay: PlayoutDelayRange
    /// Whose sound it has, and whether it has anything else.
    public var sound: SoundOptions
    /// Whether segments are logged, and none is removed, so that assets can be made of them.
    public var isRecorded: Bool
    /// Whether recording is paused at the start.
    public var isRecordingPaused: Bool

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
