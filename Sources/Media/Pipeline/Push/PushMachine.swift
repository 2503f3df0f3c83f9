public import MediaKernel
public import Streams

/// When one output connects, sends, waits and gives up. Facts go in with their time; no clock.
///
/// An output reconnects for as long as its stream runs. The wait doubles from one attempt to the
/// next, and begins anew after a connection that lasted.
public struct PushMachine: Sendable {
    /// What the output's thread is to do.
    public enum Order: Hashable, Sendable {
        /// Connect within `connectMaximum`.
        case connect
        case wait(until: Instant)
        /// Send what the stream makes, beginning with a key frame.
        case send
        /// Nothing more.
        case end
    }

    /// A server that has not accepted the stream after this time will not.
    static let connectMaximum: Duration = .seconds(10)
    /// A connection that does not take a packet within this time is broken.
    static let stallMaximum: Duration = .seconds(5)
    /// A connection that lasted this long was a good one.
    static let goodAfter: Duration = .seconds(10)
    static let waits: ClosedRange<Duration> = .seconds(1) ... .seconds(10)

    private enum Phase: Hashable, Sendable {
        case connecting
        /// Connected; the first picture is not sent yet.
        case connected
        case live(since: Instant)
        case waiting(until: Instant)
        case over
    }

    private var phase = Phase.connecting
    private var wait = waits.lowerBound
    /// The output's state, without its figures of bytes and pictures.
    public private(set) var report: PushReport

    public init(id: String) { report = PushReport(id: id) }

    public mutating func next(at now: Instant) -> Order {
        switch phase {
        case .connecting: return .connect
        case .connected, .live: return .send
        case .over: return .end
        case .waiting(let end):
            guard now >= end else { return .wait(until: end) }
            // The state stays `retrying`: an outage of hours is one piece of news, not one for
            // each attempt.
            phase = .connecting
            return .connect
        }
    }

    public mutating func connected() {
        guard phase == .connecting else { return }
        phase = .connected
    }

    /// The network took a picture.
    public mutating func sent(at now: Instant) {
        guard phase == .connected else { return }
        phase = .live(since: now)
        if wasLive { report.reconnects += 1 }
        wasLive = true
        report.state = .live
        report.reason = nil
    }

    /// Whether it has been live, so that pictures that are not sent are missing.
    public private(set) var wasLive = false

    /// The connection could not be made, or broke.
    public mutating func lost(_ reason: String, at now: Instant) {
        guard phase != .over else { return }
        if case .live(let since) = phase, now - since >= Self.goodAfter {
            wait = Self.waits.lowerBound
        }
        phase = .waiting(until: now + wait)
        wait = min(wait + wait, Self.waits.upperBound)
        report.state = .retrying
        report.reason = reason
    }

    /// No attempt can succeed.
    public mutating func giveUp(_ reason: String) {
        guard phase != .over else { return }
        phase = .over
        report.state = .failed
        report.reason = reason
    }

    /// The stream or the output has ended.
    public mutating func ended() {
        guard phase != .over else { return }
        phase = .over
        report.state = .stopped
        report.reason = nil
    }
}
