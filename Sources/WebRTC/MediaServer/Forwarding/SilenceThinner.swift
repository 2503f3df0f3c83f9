import MediaKernel
import RTP

/// Drops most packets of a silent microphone.
///
/// Under DTX an encoder sends an update every 400 ms of silence: the background noise, then a
/// packet without content, after which receivers generate their own noise (RFC 7587 sect. 3.1.3).
/// In a room of a hundred most peers are silent, and each would receive all their updates. A muted
/// microphone has no noise at all, as its audio level shows (RFC 6464), so there is nothing to
/// generate either. Then updates are forwarded only occasionally, for receivers that joined or lost
/// packets in the meantime.
struct SilenceThinner {
    /// The least interval between forwarded updates.
    static let interval: Duration = .seconds(5)
    /// libopus advises not to send packets this small: they have no content.
    static let emptyBytesMaximum = 2

    /// Whether the track is silent, whether or not its updates are forwarded.
    private(set) var isQuiet = false
    /// When a packet was last forwarded.
    private var passedAt: Instant?
    /// The newest forwarded packet was one without content.
    private var hasEnded = false

    /// - Parameter level: the level in the packet's header extension, if any.
    mutating func passes(_ payload: ArraySlice<UInt8>, level: AudioLevel?, at now: Instant) -> Bool
    {
        let isSilent = level.map { $0.level == AudioLevel.silence && !$0.voice } ?? false
        isQuiet = isSilent && (isQuiet || hasEnded)
        if isSilent, hasEnded, let passedAt, now - passedAt < Self.interval { return false }
        hasEnded = payload.count <= Self.emptyBytesMaximum
        passedAt = now
        return true
    }
}
