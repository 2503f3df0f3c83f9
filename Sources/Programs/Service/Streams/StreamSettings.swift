public import HLS
public import MediaKernel
import NIOCore
import Recording
public import Rooms
public import Stage
public import Streams

/// The default settings of streams, and the limits on their number.
public struct StreamSettings: Hashable, Sendable {
    /// The video encoder; all hardware encoders fall back to x264.
    public enum Encoder: String, Hashable, Sendable, CaseIterable {
        case x264, nvenc, qsv, vaapi, auto
    }

    /// How many streams there may be.
    public struct Limits: Hashable, Sendable {
        /// Concurrent streams on air in all rooms. Each costs a good part of a core.
        public var streams = 4
        public var variantsPerRoom = 3
        /// Cores that must be idle for a stream to start; 0 for no check.
        public var idleCoresMinimum = 0.0
        /// Concurrent finishers; idle cores limit them further.
        public var finishers = System.coreCount
    }

    /// What starts by itself, unless a destination says otherwise.
    public struct Automatic: Hashable, Sendable {
        /// When rooms go on air.
        public var streams = AutoStart.never
        /// The recordings of such streams.
        public var streamRecording = RecordingOptions()
        /// When rooms are recorded without a live stream.
        public var recordings = AutoStart.never
        /// Whether recordings without a live stream have no picture, since their rooms have none.
        public var recordsSoundAlone = false
    }

    /// The assets of recordings.
    public struct Recordings: Hashable, Sendable {
        /// The root of the assets. If it is on the same disk as the streams, VODs take no extra
        /// space.
        public var directory = "recordings"
        /// How long to keep finished assets; nil for ever.
        public var kept: Duration? = .seconds(14 * 86_400)
        /// Every field has a value.
        public var thumbnails = ThumbnailOptions(enabled: true, width: 0, height: 0, offsets: [2])
    }

    /// The URLs at which viewers find a stream.
    public struct Playback: Hashable, Sendable {
        /// The base before `/hls/…`, without a trailing slash.
        public var publicBaseURL = "http://localhost:8080"
        /// The validity of signed URLs from the start of a stream; nil for unsigned URLs without a
        /// limit.
        public var signedLifetime: Duration?
        /// The base for stored copies, before `/live/…`, without a trailing slash. Nil if viewers
        /// use this server.
        public var copyURL: String?

        /// Whether segments of fragments have parts, for viewers close behind, unless a request or
        /// destination says otherwise.
        public var isLowLatency = false

        /// Whether live streams are copied to a store: transport streams only.
        public var isCopied = false

        static let notCopied = "recordings.store.live copies transport streams only"
        static let copiesAreWhole =
            "viewers are sent to the store (recordings.store.liveURL), which has whole segments of "
            + "transport streams only"
        static let unsignedCopies =
            "viewers are sent to the store (recordings.store.liveURL), "
            + "whose addresses are not signed"

        /// The master playlist of a live stream.
        ///
        /// - Parameter link: replaces the stream's id in a signed URL.
        func url(of stream: StreamID, in room: RoomID, link: String? = nil) -> String {
            let base = copyURL.map { "\($0)/\(LiveCopyRecord.folder)" } ?? "\(publicBaseURL)/hls"
            return "\(base)/\(room)/\(link ?? stream.rawValue)/\(StreamFolder.masterName)"
        }
    }

    /// What live streams are captioned with.
    public struct Captions: Hashable, Sendable {
        /// Of streams that do not say.
        public var standard = StreamCaptions()
        /// The program that recognizes speech; nil for none.
        public var speech: SpeechCommand?
    }

    private struct Encoding: Hashable {
        var preset = "balanced"
        var encoder = Encoder.x264
    }

    /// The logs of bots.
    public struct Log: Hashable, Sendable {
        public var level = "info"
        public var format = "logfmt"
    }

    /// What may be streamed in place of a room.
    public struct Sources: Hashable, Sendable {
        /// The hosts allowed for external sources.
        public var hosts = WebHosts(allowsHTTP: true)
        public var openVidu = OpenViduServers()
        public var jitsi = JitsiDeployments()
    }

    public var ladder = Ladder.standard
    /// The policy's destinations, which override these settings.
    public var destinations = StreamDestinations()
    /// The same for recordings without a live stream.
    public var recordingDestinations = StreamDestinations()
    public var segmentDuration: Duration = .seconds(2)
    public var playlist = PlaylistMode.event
    /// Transport streams are what every player plays; fragments are what a page can play by itself in
    /// every browser.
    public var container = StreamContainer.both
    public var captions = Captions()
    /// The default number of segments in a live playlist.
    static let playlistWindow = 6
    public var layout = Layout()
    /// The hosts from which layouts and peers may load images.
    public var pictureHosts = WebHosts()
    public var sources = Sources()
    /// Pages of the web.
    public var customView = CustomViewSettings()
    /// The hosts in private networks that streams may be pushed to.
    public var pushHosts = PushHosts()
    private var encoding = Encoding()
    public var limits = Limits()
    public var rules = StreamRules()
    public var automatic = Automatic()
    /// The root below which each stream gets `<room>/<stream>`.
    public var outputDirectory = "streams"
    /// Of the pictures that people upload.
    var picturesDirectory: String { UploadedPicture.directory(in: outputDirectory) }
    public var recordings = Recordings()
    public var playback = Playback()
    public var log = Log()

    public var sourceHosts: WebHosts { sources.hosts }

    /// The trade-off between picture quality and CPU: one of `H264Encoder.presets`.
    public var preset: String {
        get { encoding.preset }
        set { encoding.preset = newValue }
    }

    public var encoder: Encoder {
        get { encoding.encoder }
        set { encoding.encoder = newValue }
    }

    public init() {}
}
