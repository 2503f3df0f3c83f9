public import Catalogue
public import HLS
public import MediaKernel
public import Rooms

/// One variant of a room on air, or its record afterwards: one id, one bot, one output directory.
///
/// A recording without a live stream is one too: nobody is shown it, and all else is the same.
public struct LiveStream: Hashable, Sendable {
    /// Goes from `starting` to the right, never back. `failed` can follow each of the first four.
    public enum Status: String, Hashable, Sendable, CaseIterable {
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

    public enum Kind: Hashable, Sendable {
        /// Shown live, and perhaps recorded.
        case stream
        /// Recorded, and shown to nobody meanwhile.
        case recording
    }

    public var id: StreamID
    public var room: RoomID
    public var kind: Kind
    /// The room's occupancy at the start; nil when nobody was there.
    public var session: SessionID?
    public var status: Status
    public var variant: LiveStreamVariant
    public var recording: LiveStreamRecording?
    public var destination: String
    public var audio: LiveStreamAudio
    /// What the picture looks like, whole, as the control API writes it.
    public var layout: JSONValue
    /// The master playlist; known before the stream runs. Empty for a recording.
    public var playbackURL: String
    /// Whether that address is signed, and the only way to the stream.
    public var isSigned = false
    /// Whether viewers may go back in it.
    public var playlistType = HLSVariant.PlaylistType.dvr
    public var createdAt: UnixTime
    public var startedAt: UnixTime?
    public var updatedAt: UnixTime
    public var stoppedAt: UnixTime?
    /// A peer's id, or empty when done from the server side.
    public var startedBy: String
    public var stoppedBy: String
    /// Why it ended: `client request`, `last peer left`, `failure: …`; nil while it goes on.
    public var stopReason: String?
    /// Whether what is on air is left out of the assets at the moment.
    public var isRecordingPaused = false
    /// Whether a pause of the recording is over.
    public var hasRecordingResumed = false
    /// Nil while there was always CPU enough.
    public var degradation: Degradation?
    /// Of those who are there now: what cannot be decoded of them.
    public var tracksLeftOut: [HLSVariant.LeftOutTrack] = []
    /// The latest deaths of its bots and finishers, oldest first.
    public var deaths: [ProcessDeath] = []
    /// Pictures a second that are wanted; nil where there is only sound, and for one of long ago.
    public var frameRateWanted: Double?
    /// Pictures a second that the newest segment has; nil until one differs from what is wanted.
    public var frameRate: Double?
    /// How many bots have taken the place of one that had died.
    public var restarts = 0
    /// Nil when it is taken into no store while it is on air, and for one of long ago.
    public var upload: Upload?
    /// How much of post-processing is done, in thousandths; nil before and after
    /// it.
    public var finishedPermille: Int?
    /// What the room was when it began.
    public var origin = Origin()
    /// What whoever started it may not have meant. Only in the answer to the start.
    public var warnings: [String] = []
    /// Where it stands among the streams that wait for a finisher, from 1; nil while one is at work,
    /// before and after.
    public var finisherPosition: Int?
    /// Why the assets could not be made yet: what the latest finisher said that failed; nil before,
    /// and when they are there.
    public var finishingError: String?

    /// Whether less of the picture is made than is wanted.
    public var isReduced: Bool {
        guard let frameRateWanted else { return false }
        return (degradation?.layersThinned ?? 0) > 0 || (degradation?.videosLeftOut ?? 0) > 0
            || frameRateNow < frameRateWanted * Self.wholeRate
    }

    /// Pictures a second: those of the newest segment, or of the plan where that is less.
    public var frameRateNow: Double {
        [frameRate, degradation?.frameRate, frameRateWanted].compactMap { $0 }.min() ?? 0
    }

    /// The part of what is wanted that counts as all of it.
    private static let wholeRate = 0.9

    public init(
        id: StreamID, room: RoomID, kind: Kind = .stream, session: SessionID?,
        variant: LiveStreamVariant,
        recording: LiveStreamRecording?, destination: String,
        audio: LiveStreamAudio = LiveStreamAudio(), layout: JSONValue = .object([:]),
        playbackURL: String, createdAt: UnixTime, startedBy: String
    ) {
        self.id = id
        self.room = room
        self.kind = kind
        self.session = session
        status = .starting
        self.variant = variant
        self.recording = recording
        self.destination = destination
        self.audio = audio
        self.layout = layout
        self.playbackURL = playbackURL
        self.createdAt = createdAt
        updatedAt = createdAt
        self.startedBy = startedBy
        stoppedBy = ""
    }
}

/// One view of the room that somebody asked to stream.
public struct LiveStreamVariant: Hashable, Sendable {
    /// As it was given; empty when none was. Only pages of our own rooms pass, so it always means
    /// the default view.
    public var meetingURL: String
    /// The caller's own note, returned as given.
    public var metadata: String

    public init(meetingURL: String = "", metadata: String = "") {
        self.meetingURL = meetingURL
        self.metadata = metadata
    }
}

/// Which recordings are kept of a stream; stored and returned.
public struct LiveStreamRecording: Hashable, Sendable, Codable {
    public var hlsVOD: Bool
    public var singleFilePerLayer: Bool
    /// What is to differ from the configured thumbnails; nil for nothing.
    public var thumbnails: ThumbnailWish?

    public init(
        hlsVOD: Bool = false, singleFilePerLayer: Bool = false, thumbnails: ThumbnailWish? = nil
    ) {
        self.hlsVOD = hlsVOD
        self.singleFilePerLayer = singleFilePerLayer
        self.thumbnails = thumbnails
    }

    /// Whether anything is to be kept.
    public var isWanted: Bool { hlsVOD || singleFilePerLayer }

    enum CodingKeys: String, CodingKey {
        case hlsVOD = "hls_vod"
        case singleFilePerLayer = "single_file_per_layer"
        case thumbnails
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        hlsVOD = try container.decodeIfPresent(Bool.self, forKey: .hlsVOD) ?? false
        singleFilePerLayer =
            try container.decodeIfPresent(Bool.self, forKey: .singleFilePerLayer) ?? false
        thumbnails = try container.decodeIfPresent(ThumbnailWish.self, forKey: .thumbnails)
    }
}

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

/// Why a live-stream operation was refused.
public enum LiveStreamError: Error, Hashable, Sendable, CustomStringConvertible {
    case notFound(String)
    /// The policy has destinations, and none of that name.
    case unknownDestination(String)
    case tooManyStreams(running: Int, maximum: Int)
    /// In cores, with those that streams which were just started will take as needed.
    case insufficientCPU(idle: Double, needed: Double)
    case tooManyVariants(room: RoomID, maximum: Int)
    /// It is on air already, without what is asked for, which cannot be had of it any more.
    case runsOtherwise(StreamID, String)
    /// The reason names the field.
    case invalidLayout(String)
    /// The reason names the rule.
    case invalidResolution(String)
    /// The stream has ended or is ending, so nothing about it can be changed.
    case notOnAir(StreamID)
    /// Nothing of the stream can be fetched yet, or it has ended or is ending.
    case notRunning(StreamID)
    /// Its playlists list as much as they may.
    case tooMuchTimedMetadata(StreamID, maximum: Int)
    /// Timed metadata comes faster than a stream takes it.
    case tooFast(perSecond: Int)
    /// Nothing is kept of it that could be paused.
    case notRecorded(StreamID)
    /// How streams of the room are to be made cannot be told now.
    case unknownPolicy(String)
    /// What is known of streams cannot be read now.
    case catalogue(CatalogueError)
    case shuttingDown
    case storage(String)

    public var description: String {
        switch self {
        case .notFound(let what): what
        case .unknownDestination(let name): "the policy has no destination '\(name)'"
        case .tooManyStreams(let running, let maximum):
            "too many streams: \(running) of \(maximum) are on air"
        case .insufficientCPU(let idle, let needed):
            "not enough CPU: \(Self.cores(idle)) cores are idle, \(Self.cores(needed)) are needed"
        case .tooManyVariants(let room, let maximum):
            "too many variants: room \(room) already has \(maximum) on air"
        case .runsOtherwise(let id, let reason): "stream \(id) runs already, \(reason)"
        case .invalidLayout(let reason): "layout is not valid: \(reason)"
        case .invalidResolution(let reason): "resolution is not valid: \(reason)"
        case .notOnAir(let id): "stream \(id) is not on air"
        case .notRunning(let id): "stream \(id) is not running"
        case .tooMuchTimedMetadata(let id, let maximum):
            "stream \(id) already has \(maximum) timed metadata"
        case .tooFast(let perSecond): "more than \(perSecond) a second"
        case .notRecorded(let id): "stream \(id) is not recorded"
        case .unknownPolicy(let reason): "the room's policy cannot be told: \(reason)"
        case .catalogue(let error): error.description
        case .shuttingDown: "the server is shutting down"
        case .storage(let reason): "the output directory cannot be used: \(reason)"
        }
    }

    /// With two places.
    static func cores(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
