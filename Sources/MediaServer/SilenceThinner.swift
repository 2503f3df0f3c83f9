import MediaKernel
import RTP

/// Leaves out most of what a silent microphone goes on to send.
///
/// Under DTX an encoder sends on in silence every 400 ms: what there is to hear, then a packet
/// without content, after which receivers make their own of it (RFC 7587 sect. 3.1.3). Of a room of
/// a hundred most are silent, and everybody is sent everybody's. Where a muted microphone gives
/// nothing at all, which the sender says by its level (RFC 6464), there is nothing to
/// make either. Nor is there where somebody sends every packet of a silence that has lasted, as of a
/// screen that is shared without DTX. Then an update goes on once in a while only, by which a receiver
/// that began or lost something meanwhile gets to know.
struct SilenceThinner {
    /// From one update that goes on to the next, at least.
    static let interval: Duration = .seconds(5)
    /// Silence of this length has reached every receiver, which has silence to go on with.
    static let settling: Duration = .seconds(1)
    /// An update of it: some packets, so that one may be lost.
    static let updateLength: Duration = .milliseconds(40)
    /// libopus asks not to send packets of so many bytes: they have no content.
    static let emptyBytesMaximum = 2

    /// Whether there is nothing to hear, be it left out or one of the updates that go on.
    private(set) var isQuiet = false
    /// When something last went on.
    private var passedAt: Instant?
    /// The newest packet that went on said that nothing follows.
    private var hasEnded = false
    private var silentSince: Instant?
    private var updateBegan: Instant?

    /// - Parameter level: as the packet's sender measured it, if it says so.
    mutating func passes(_ payload: ArraySlice<UInt8>, level: AudioLevel?, at now: Instant) -> Bool
    {
        let isSilent = level.map { $0.level == AudioLevel.silence && !$0.voice } ?? false
        silentSince = isSilent ? silentSince ?? now : nil
        let hasSettled = silentSince.map { now - $0 >= Self.settling } ?? false
        let isUpdate = updateBegan.map { now - $0 <= Self.updateLength } ?? false
        isQuiet = isSilent && (isQuiet || hasEnded || hasSettled)
        if isSilent, hasEnded || hasSettled && !isUpdate, let passedAt {
            if now - passedAt < Self.interval { return false }
            updateBegan = now
        }
        hasEnded = payload.count <= Self.emptyBytesMaximum
        passedAt = now
        return true
    }
}
