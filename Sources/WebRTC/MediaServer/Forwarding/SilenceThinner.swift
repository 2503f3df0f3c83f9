import MediaKernel
import RTP

/// Leaves out most of what a silent microphone goes on to send.
///
/// Under DTX an encoder sends on in silence every 400 ms: what there is to hear, then a packet
/// without content, after which receivers make their own of it (RFC 7587 sect. 3.1.3). Of a room of
/// a hundred most are silent, and everybody is sent everybody's. Where a muted microphone gives
/// nothing at all, which the sender says by its level (RFC 6464), there is nothing to
/// make either. Then such an update goes on once in a while only, by which a receiver that began or
/// lost something meanwhile gets to know.
struct SilenceThinner {
    /// From one update that goes on to the next, at least.
    static let interval: Duration = .seconds(5)
    /// libopus asks not to send packets of so many bytes: they have no content.
    static let emptyBytesMaximum = 2

    /// Whether there is nothing to hear, be it left out or one of the updates that go on.
    private(set) var isQuiet = false
    /// When something last went on.
    private var passedAt: Instant?
    /// The newest packet that went on said that nothing follows.
    private var hasEnded = false

    /// - Parameter level: as the packet's sender measured it, if it says so.
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
