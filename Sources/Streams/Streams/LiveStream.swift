public import MediaKernel
public import Rooms

/// One variant of a room on air, or its record afterwards: one id, one bot, one output directory.
///
/// A recording without a live stream is one too; it only has no viewers.
public struct LiveStream: Hashable, Sendable {
    /// Moves from `starting` to the right, never back. `failed` can follow each of the first four.
    public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        case starting
        /// The first segment of every layer can be fetched.
        case running
        case stopping
        /// The last segment is published; the assets are being made.
        case postProcessing = "post_processing"
        case completed
        case failed

        public var isFinal: Bool { self == .completed || self == .failed }
        /// Whether viewers can expect more of the stream.
        public var isOnAir: Bool { self == .starting || self == .running || self == .stopping }
    }

    /// How far the picture is reduced for lack of CPU. The sound is never reduced.
    public struct Degradation: Hashable, Sendable, Codable {
        /// The frame rate of all layers; the configured rate after full recovery.
        public var frameRate: Double
        /// The number of layers, counted from the lowest, with an even lower frame rate.
        public var layersThinned: Int
        /// The number of participants' videos that are not decoded; their tiles show a placeholder.
        public var videosLeftOut: Int
        /// The number of steps down and up since the start.
        public var changes: Int
        public var changedAt: UnixTime

        /// The names in storage; the API uses different ones.
        enum CodingKeys: String, CodingKey {
            case frameRate = "frame_rate"
            case layersThinned = "layers_thinned"
            case videosLeftOut = "videos_left_out"
            case changes
            case changedAt = "changed_ns"
        }

        public init(
            frameRate: Double, layersThinned: Int, videosLeftOut: Int, changes: Int,
            changedAt: UnixTime
        ) {
            self.frameRate = frameRate
            self.layersThinned = layersThinned
            self.videosLeftOut = videosLeftOut
            self.changes = changes
            self.changedAt = changedAt
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            frameRate = try container.decode(Double.self, forKey: .frameRate)
            layersThinned = try container.decode(Int.self, forKey: .layersThinned)
            // Older records lack this field.
            videosLeftOut = try container.decodeIfPresent(Int.self, forKey: .videosLeftOut) ?? 0
            changes = try container.decode(Int.self, forKey: .changes)
            changedAt = try container.decode(UnixTime.self, forKey: .changedAt)
        }
    }

    /// The facts about a room that its streams report.
    public struct Origin: Hashable, Sendable, Codable {
        public var roomName: String
        /// The template of the room's policy.
        public var template: String
        /// Nil if nobody was in the room.
        public var sessionStartedAt: UnixTime?

        public init(
            roomName: String = "", template: String = "", sessionStartedAt: UnixTime? = nil
        ) {
            self.roomName = roomName
            self.template = template
            self.sessionStartedAt = sessionStartedAt
        }

        /// The names in storage.
        enum CodingKeys: String, CodingKey {
            case template
            case roomName = "room_name"
            case sessionStartedAt = "session_started_ns"
        }
    }

    /// How viewers reach the stream.
    public struct Playback: Hashable, Sendable {
        /// The URL of the master playlist; known before the stream runs. Empty for a recording.
        public var url: String
        /// Whether the URL is signed, and the only access to the stream.
        public var isSigned: Bool

        public init(url: String = "", isSigned: Bool = false) {
            self.url = url
            self.isSigned = isSigned
        }
    }

    /// Whether the stream is currently left out of the assets.
    public enum RecordingPause: Hashable, Sendable {
        case none
        case paused
        /// There was a pause, which is over.
        case resumed
    }

    /// The quality of the stream and the state of its processes.
    public struct Health: Hashable, Sendable {
        /// Nil if the CPU has always sufficed.
        public var degradation: Degradation?
        /// The tracks of present peers that cannot be decoded.
        public var tracksLeftOut: [HLSVariant.LeftOutTrack] = []
        /// The latest deaths of the stream's bots and finishers, oldest first.
        public var deaths: [ProcessDeath] = []
        /// The frame rate of the newest segment; nil until one differs from the wanted rate.
        public var frameRate: Double?
        /// The states of the plan's outputs, by id.
        public var outputs: [String: PushStatus] = [:]
        /// The number of bots that have replaced a dead one.
        public var restarts = 0

        public init() {}
    }

    /// The progress of the stream's assets.
    public struct Finishing: Hashable, Sendable {
        /// In thousandths; nil before and after finishing.
        public var permille: Int?
        /// The stream's position in the finisher queue, from 1; nil before, during and after the
        /// finisher's work.
        public var position: Int?
        /// The reason why the latest finisher failed; nil before that, and once the assets exist.
        public var error: String?

        public init() {}
    }

    /// 100ms' names; its paths and webhooks begin with them.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Shown live, and perhaps recorded.
        case stream = "hls"
        /// Recorded, without live viewers.
        case recording = "beam"
    }

    public var id: StreamID
    public var room: RoomID
    public var kind: Kind
    /// The room's session at the start; nil if nobody was in the room.
    public var session: SessionID?
    public var status: Status
    /// The plan of the stream. Its layout and audio roles may change on air.
    public var plan: StreamPlan
    public var playback: Playback
    public var createdAt: UnixTime
    public var startedAt: UnixTime?
    public var updatedAt: UnixTime
    public var stoppedAt: UnixTime?
    /// A peer's id, or empty if a server made the request.
    public var startedBy: String
    public var stoppedBy: String
    /// Why the stream ended; nil while it goes on.
    public var end: StreamEnd?
    public var recordingPause = RecordingPause.none
    public var health = Health()
    /// Nil if the stream is not uploaded while on air, and for very old streams.
    public var upload: Upload?
    public var finishing = Finishing()
    /// The room's state when the stream began.
    public var origin = Origin()
    /// Possible mistakes in the start request. Present only in the response to it.
    public var warnings: [String] = []

    /// Whether the picture is reduced.
    public var isReduced: Bool {
        guard let wanted = plan.frameRate else { return false }
        let reduction = health.degradation
        return (reduction?.layersThinned ?? 0) > 0 || (reduction?.videosLeftOut ?? 0) > 0
            || frameRateNow < wanted * Self.wholeRate
    }

    /// The frame rate of the newest segment, or of the plan if that is lower.
    public var frameRateNow: Double {
        [health.frameRate, health.degradation?.frameRate, plan.frameRate].compactMap { $0 }.min()
            ?? 0
    }

    /// The share of the wanted frame rate that counts as all of it.
    private static let wholeRate = 0.9

    public init(
        id: StreamID, room: RoomID, kind: Kind = .stream, session: SessionID?,
        plan: StreamPlan = StreamPlan(), playback: Playback = Playback(), createdAt: UnixTime,
        startedBy: String
    ) {
        self.id = id
        self.room = room
        self.kind = kind
        self.session = session
        status = .starting
        self.plan = plan
        self.playback = playback
        self.createdAt = createdAt
        updatedAt = createdAt
        self.startedBy = startedBy
        stoppedBy = ""
    }
}
