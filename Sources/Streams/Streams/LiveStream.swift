public import MediaKernel
public import Rooms

/// One variant of a room on air, or its record afterwards: one id, one bot, one output directory.
///
/// A recording without a live stream is one too: nobody is shown it, and all else is the same.
public struct LiveStream: Hashable, Sendable {
    /// Goes from `starting` to the right, never back. `failed` can follow each of the first four.
    public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        case starting
        /// The first segment of every layer can be fetched.
        case running
        case stopping
        /// Its last segment is there; its assets are being made.
        case postProcessing = "post_processing"
        case completed
        case failed

        public var isFinal: Bool { self == .completed || self == .failed }
        /// Whether more of it is to come for those who watch.
        public var isOnAir: Bool { self == .starting || self == .running || self == .stopping }
    }

    /// What the picture came down to when the CPU was short. The sound is never touched.
    public struct Degradation: Hashable, Sendable, Codable {
        /// Pictures a second that all layers have; the configured rate once all is well again.
        public var frameRate: Double
        /// Layers, counted from the lowest, that have fewer still.
        public var layersThinned: Int
        /// Participants' videos that are not decoded; their tiles show what stands in for them.
        public var videosLeftOut: Int
        /// Steps down and up since the start.
        public var changes: Int
        public var changedAt: UnixTime

        /// As it is kept; the API has words of its own.
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
            // Older records have none.
            videosLeftOut = try container.decodeIfPresent(Int.self, forKey: .videosLeftOut) ?? 0
            changes = try container.decode(Int.self, forKey: .changes)
            changedAt = try container.decode(UnixTime.self, forKey: .changedAt)
        }
    }

    /// Of a room, what is told of its streams.
    public struct Origin: Hashable, Sendable, Codable {
        public var roomName: String
        /// Of the room's policy.
        public var template: String
        /// Nil when nobody was there.
        public var sessionStartedAt: UnixTime?

        public init(
            roomName: String = "", template: String = "", sessionStartedAt: UnixTime? = nil
        ) {
            self.roomName = roomName
            self.template = template
            self.sessionStartedAt = sessionStartedAt
        }

        /// As it is kept.
        enum CodingKeys: String, CodingKey {
            case template
            case roomName = "room_name"
            case sessionStartedAt = "session_started_ns"
        }
    }

    /// How viewers come to it.
    public struct Playback: Hashable, Sendable {
        /// The master playlist; known before the stream runs. Empty for a recording.
        public var url: String
        /// Whether that address is signed, and the only way to the stream.
        public var isSigned: Bool

        public init(url: String = "", isSigned: Bool = false) {
            self.url = url
            self.isSigned = isSigned
        }
    }

    /// Whether what is on air is left out of the assets.
    public enum RecordingPause: Hashable, Sendable {
        case none
        case paused
        /// There was a pause, and it is over.
        case resumed
    }

    /// How well it is made.
    public struct Health: Hashable, Sendable {
        /// Nil while there was always CPU enough.
        public var degradation: Degradation?
        /// Of those who are there now: what cannot be decoded of them.
        public var tracksLeftOut: [HLSVariant.LeftOutTrack] = []
        /// The latest deaths of its bots and finishers, oldest first.
        public var deaths: [ProcessDeath] = []
        /// Pictures a second that the newest segment has; nil until one differs from what is wanted.
        public var frameRate: Double?
        /// How many bots have taken the place of one that had died.
        public var restarts = 0

        public init() {}
    }

    /// How far its assets are.
    public struct Finishing: Hashable, Sendable {
        /// In thousandths; nil before and after.
        public var permille: Int?
        /// Where it stands among the streams that wait for a finisher, from 1; nil while one is at
        /// work, before and after.
        public var position: Int?
        /// What the latest finisher said that failed; nil before, and when the assets are there.
        public var error: String?

        public init() {}
    }

    /// 100ms' names, with which its paths and its webhooks begin.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Shown live, and perhaps recorded.
        case stream = "hls"
        /// Recorded, and shown to nobody meanwhile.
        case recording = "beam"
    }

    public var id: StreamID
    public var room: RoomID
    public var kind: Kind
    /// The room's occupancy at the start; nil when nobody was there.
    public var session: SessionID?
    public var status: Status
    /// What it is made by; its layout and whose sound it has may change while it is on air.
    public var plan: StreamPlan
    public var playback: Playback
    public var createdAt: UnixTime
    public var startedAt: UnixTime?
    public var updatedAt: UnixTime
    public var stoppedAt: UnixTime?
    /// A peer's id, or empty when done from the server side.
    public var startedBy: String
    public var stoppedBy: String
    /// Why it ended; nil while it goes on.
    public var end: StreamEnd?
    public var recordingPause = RecordingPause.none
    public var health = Health()
    /// Nil when it is taken into no store while it is on air, and for one of long ago.
    public var upload: Upload?
    public var finishing = Finishing()
    /// What the room was when it began.
    public var origin = Origin()
    /// What whoever started it may not have meant. Only in the answer to the start.
    public var warnings: [String] = []

    /// Whether less of the picture is made than is wanted.
    public var isReduced: Bool {
        guard let wanted = plan.frameRate else { return false }
        let reduction = health.degradation
        return (reduction?.layersThinned ?? 0) > 0 || (reduction?.videosLeftOut ?? 0) > 0
            || frameRateNow < wanted * Self.wholeRate
    }

    /// Pictures a second: those of the newest segment, or of the plan where that is less.
    public var frameRateNow: Double {
        [health.frameRate, health.degradation?.frameRate, plan.frameRate].compactMap { $0 }.min()
            ?? 0
    }

    /// The part of what is wanted that counts as all of it.
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
