import MediaKernel
import RTP

/// The sender reports of an encoding.
struct SourceReports {
    /// Reports that are forwarded per second in the long run, and in a burst. Clients send one every
    /// few seconds; each costs a packet to every subscriber, and a datagram holds some forty.
    static let perSecond = 10
    static let burst = 20

    /// The last mapping of the publisher's wall clock to the encoding's RTP clock.
    var last: (ssrc: SSRC, report: LayerForwarder.Report)?
    /// One arrived during silence and has not been forwarded.
    var isOwed = false
    var allowance = TokenBucket(rate: perSecond, burst: burst, at: .zero)
}
