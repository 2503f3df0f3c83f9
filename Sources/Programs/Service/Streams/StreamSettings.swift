public import HLS
public import MediaKernel
import NIOCore
import Recording
public import Rooms
public import Stage
public import Streams

/// How streams are made unless a request says otherwise, and how many there may be.
public struct StreamSettings: Hashable, Sendable {
    /// What encodes the pictures; every hardware falls back to x264.
    public enum Encoder: String, Hashable, Sendable, CaseIterable {
        case x264, nvenc, qsv, vaapi, auto
    }

    public var ladder = Ladder.standard
    /// What the policy's destinations ask for instead.
    public var destinations = StreamDestinations()
    /// The same for recordings without a live stream.
    public var recordingDestinations = StreamDestinations()
    public var segmentDuration: Duration = .seconds(2)
    public var playlist = PlaylistMode.event
    /// Segments of a live playlist of which nobody says how many it has.
    static let playlistWindow = 6
    public var layout = Layout()
    /// Where layouts and peers may have images from.
    public var pictureHosts = WebHosts()
    /// Where sources beside the rooms may be asked for.
    public var sourceHosts = WebHosts(allowsHTTP: true)
    /// The trade of picture for CPU: one of `H264Encoder.presets`.
    public var preset = "balanced"
    public var encoder = Encoder.x264
    /// Streams on air at a time, in all rooms. Each costs a good part of a core.
    public var streamsMaximum = 4
    /// Cores that must be idle for a stream to be started; 0 to start it whatever else is going on.
    public var idleCoresMinimum = 0.0
    public var variantsPerRoomMaximum = 3
    /// Finishers at work at a time; at most so many as cores are idle.
    public var finishersMaximum = System.coreCount
    public var rules = StreamRules()
    /// When rooms go on air by themselves, and what is kept of such streams, unless a destination
    /// says otherwise.
    public var autoStart = AutoStart.never
    public var autoStartRecording = RecordingOptions()
    /// When rooms are recorded by themselves, without a live stream, unless a destination says
    /// otherwise.
    public var autoRecording = AutoStart.never
    /// The root below which each stream gets `<room>/<stream>`.
    public var outputDirectory = "streams"
    /// The root below which the assets of recordings lie. On the same disk as the streams, VODs
    /// take no room of their own.
    public var recordingsDirectory = "recordings"
    /// How long assets are kept once they are made; nil for ever.
    public var recordingsKept: Duration? = .seconds(14 * 86_400)
    /// The pictures that recordings have beside themselves. Every field has a value.
    public var thumbnails = ThumbnailOptions(enabled: true, width: 0, height: 0, offsets: [2])
    /// In front of `/hls/…` in playback URLs, without a slash at the end.
    public var publicBaseURL = "http://localhost:8080"
    /// How long addresses of streams hold, from the start on, which are signed then; nil for ever.
    public var signedPlayback: Duration?
    /// In front of `/live/…` in playback URLs, where copies of live streams can be played; without a
    /// slash at the end. Nil when viewers come to this server.
    public var copyURL: String?
    static let unsignedCopies =
        "viewers are sent to the store (recordings.store.liveURL), whose addresses are not signed"
    /// Passed on to the bots.
    public var logLevel = "info"
    public var logFormat = "logfmt"

    public init() {}

    /// The master playlist of a live stream, for viewers.
    ///
    /// - Parameter link: what stands for the stream in an address that is signed.
    func playbackURL(of stream: StreamID, in room: RoomID, link: String? = nil) -> String {
        let base = copyURL.map { "\($0)/\(LiveCopyRecord.folder)" } ?? "\(publicBaseURL)/hls"
        return "\(base)/\(room)/\(link ?? stream.rawValue)/\(StreamFolder.masterName)"
    }
}
