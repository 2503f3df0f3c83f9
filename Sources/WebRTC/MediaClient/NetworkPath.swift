import Datagrams
import MediaKernel

/// Datagrams between a connection and its socket, subjected to `NetworkConditions`.
///
/// `send` datagrams, and take with `due` those that have left by now. While the path is interrupted
/// nothing gets through, and datagrams under way are lost.
struct NetworkPath: Sendable {
    struct Datagram: Hashable, Sendable {
        var bytes: [UInt8]
        var address: TransportAddress
        /// The address of this machine to send from; nil if the kernel chooses.
        var source: LocalAddress?
    }

    /// The most datagrams under way: a second of a fast publisher. More are lost.
    static let datagramsMaximum = 4096
    /// How long a datagram is held back to be overtaken.
    static let holdBack: Duration = .milliseconds(30)

    private struct Departure {
        var datagram: Datagram
        var time: Instant
    }

    private let conditions: NetworkConditions
    private var random: SeededRandom
    /// Sorted by time; equal times in the order of sending.
    private var departures: [Departure] = []
    /// The earliest departure of the next datagram in order.
    private var lastDeparture = Instant.zero
    private var interruptedUntil = Instant.zero

    init(_ conditions: NetworkConditions) {
        self.conditions = conditions
        random = SeededRandom(seed: conditions.seed)
    }

    /// Blocks both directions until then.
    mutating func interrupt(until end: Instant) {
        interruptedUntil = end
        departures.removeAll()
    }

    func isInterrupted(at now: Instant) -> Bool { now < interruptedUntil }

    mutating func send(_ datagram: Datagram, at now: Instant) {
        // Draw for every datagram alike, so that one more or less changes little.
        let isLost = Double.random(in: 0..<1, using: &random) < conditions.loss
        let isReordered = Double.random(in: 0..<1, using: &random) < conditions.reordering
        let delay = Int64.random(in: 0...max(0, conditions.jitter.nanoseconds), using: &random)
        guard !isLost, !isInterrupted(at: now), departures.count < Self.datagramsMaximum else {
            return
        }
        var time = now + .nanoseconds(delay)
        if isReordered {
            time += Self.holdBack
        } else {
            time = max(time, lastDeparture)
            lastDeparture = time
        }
        let index = departures.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        departures.insert(Departure(datagram: datagram, time: time), at: index)
    }

    /// Takes the datagrams that have left by now.
    mutating func due(at now: Instant) -> [Datagram] {
        let count = departures.firstIndex { $0.time > now } ?? departures.count
        guard count > 0 else { return [] }
        let due = departures[..<count].map(\.datagram)
        departures.removeFirst(count)
        return due
    }
}
