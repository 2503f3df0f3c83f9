public import MediaKernel
import RTP

/// A short stretch of sending at a higher rate, to see whether the way carries it.
struct ProbeSchedule {
    static let duration: Duration = .milliseconds(80)
    /// At low rates it lasts until so many packets have been sent: of fewer the estimator takes no
    /// measure, one of them lost.
    static let packetsMinimum = 6
    static let durationMaximum: Duration = .seconds(1)
    static let interval: Duration = .milliseconds(10)
    /// Fillers sent at one moment; a rate that needs more is out of reach.
    static let fillersMaximum = 64

    let bitsPerSecond: Int
    let began: Instant
    var due: Instant
    private(set) var sentBytes = 0
    private var sentPackets = 0

    init(bitsPerSecond: Int, at now: Instant) {
        self.bitsPerSecond = bitsPerSecond
        began = now
        due = now
    }

    /// Ordinary media counts too: only what it leaves over is filled.
    mutating func sent(bytes: Int) {
        sentBytes += bytes
        sentPackets += 1
    }

    func isOver(at now: Instant) -> Bool {
        let elapsed = now - began
        guard elapsed >= Self.duration else { return false }
        return sentPackets >= Self.packetsMinimum || elapsed >= Self.durationMaximum
    }

    /// Bytes that should have been sent at the end of the interval that begins now.
    func goal(at now: Instant) -> Int {
        Int(Double(bitsPerSecond / 8) * (now - began + Self.interval).inSeconds)
    }
}

/// Probing for bandwidth. draft-ietf-rmcat-gcc-02 leaves it open how; this sends what was sent
/// before again on the stream for repairs, where a receiver drops it without harm.
extension PeerConnection {
    /// RTP and extension headers, SRTP tag, UDP and IP headers.
    static let packetOverheadBytes = 12 + 12 + 10 + 28

    /// Sends at this rate for a moment; what came of it is in `bandwidth.lastProbeResult`.
    /// Refused while another probe is on its way or nothing can be repeated.
    public func beginProbe(bitsPerSecond: Int, at now: Instant) {
        guard sending.probe == nil, measuresBandwidth, canSendMedia, sending.filledStream != nil
        else { return }
        sending.bandwidth.beginProbe()
        sending.probe = ProbeSchedule(bitsPerSecond: bitsPerSecond, at: now)
        continueProbe(at: now)
    }

    func continueProbe(at now: Instant) {
        guard var schedule = sending.probe, schedule.due <= now else { return }
        guard !schedule.isOver(at: now), let dtls = security.dtls, let stream = sending.filledStream
        else {
            sending.bandwidth.endProbe()
            sending.probe = nil
            return
        }
        schedule.due = now + ProbeSchedule.interval
        sending.probe = schedule
        let goal = schedule.goal(at: now)
        var fillers = 0
        while let sent = sending.probe?.sentBytes, sent < goal,
            fillers < ProbeSchedule.fillersMaximum, let packet = stream.filler()
        {
            sendRepairs([packet], of: stream, over: dtls, at: now)
            fillers += 1
        }
    }
}
