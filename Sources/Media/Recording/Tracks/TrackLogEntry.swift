/// A line of `tracks.log`: a fact about the recorded tracks of a stream. Instants are nanoseconds of
/// the machine's monotonic clock, which the bots of a stream share; media times are ticks of
/// `LiveMatroska.timescale` from the beginning of a file.
public enum TrackLogEntry: Hashable, Sendable, Codable {
    /// A bot has begun.
    ///
    /// - Parameter unix: nanoseconds since 1970.
    case run(monotonic: Int64, unix: Int64)
    /// A file has begun.
    case part(file: String, track: RecordedTrack, format: TrackFormat)
    /// A frame with this media time was captured at this instant, as far as is known by now.
    case clock(file: String, media: Int64, capture: Int64)
    /// Nothing was recorded between two frames.
    case gap(file: String, from: Int64, to: Int64, reason: TrackGap)
    /// The last frame is shown until this time.
    case end(file: String, media: Int64)
    /// The room says that a track is muted, or no longer.
    case mute(track: String, muted: Bool, at: Int64)
}

/// A track of a room.
public struct RecordedTrack: Hashable, Sendable, Codable {
    public var id: String
    public var peer: String
    /// The peer's name and role when the file began.
    public var name: String
    public var role: String
    /// As in the protocol: `regular`, `screen`.
    public var source: String

    public init(id: String, peer: String, name: String, role: String, source: String) {
        self.id = id
        self.peer = peer
        self.name = name
        self.role = role
        self.source = source
    }
}

/// Why a file has nothing of some time.
public enum TrackGap: String, Hashable, Sendable, Codable {
    /// Packets were lost on the way.
    case loss
    /// The sender sent nothing: silence, a camera that is off, a picture that does not change.
    case silence
    /// The bot's own queue was full.
    case overflow
    /// The recording was paused.
    case pause
}
