public import MediaKernel

/// Schedules webhooks: each stream's in order, again and again until they are answered or a day has
/// passed. Facts in, orders out; it does no network or disk access.
///
/// ```
///            due                answered 200
///  waiting ───────► in flight ───────────────► delivered
///     ▲                 │  no, or another answer, within the day of its making
///     └─────────────────┘
///     └──────────────────────── the day is over ──────────► given up
/// ```
/// Invariants: each stream has at most one delivery in flight, the oldest; a delivery ends once;
/// facts may be repeated without harm. Every delivery is first written to the catalogue: after a
/// restart the rows are added again and nothing is lost, at most sent twice under the same id.
public struct WebhookOutbox: Sendable {
    /// One event on its way to one receiver.
    public struct Delivery: Hashable, Sendable {
        /// The event's own id, the same in every attempt.
        public var id: String
        /// Orders the deliveries: the stream's id, or the room's for events without a stream.
        public var line: String
        /// The receiver's name; nil for the general one, and those of rooms.
        public var receiver: String?
        public var createdAt: UnixTime
        /// Attempts that failed.
        public var attempts: Int
        /// The earliest time of the next attempt.
        public var dueAt: UnixTime

        public init(
            id: String, line: String, receiver: String? = nil, createdAt: UnixTime,
            attempts: Int = 0, dueAt: UnixTime? = nil
        ) {
            self.id = id
            self.line = line
            self.receiver = receiver
            self.createdAt = createdAt
            self.attempts = attempts
            self.dueAt = dueAt ?? createdAt
        }
    }

    /// Returned by `next` and `answered`, to be carried out in this order.
    public enum Order: Hashable, Sendable {
        /// Send it, and report the result to `answered`.
        case send(id: String)
        /// Record the number of failures and the next due time.
        case postpone(id: String, attempts: Int, dueAt: UnixTime)
        /// Record its end.
        case delivered(id: String)
        case giveUp(id: String)
    }

    /// How long an event is retried.
    public static let lifetime: Duration = .seconds(86_400)
    public static let firstDelay: Duration = .seconds(1)
    /// A receiver that is available again should not wait longer.
    public static let delayMaximum: Duration = .seconds(600)
    /// Deliveries in flight to one receiver, over all lines: a slow one must not take all sockets,
    /// nor those of others.
    public static let inFlightMaximum = 16
    /// The most deliveries that wait here. More stay in the catalogue until there is room.
    public static let waitingMaximum = 100_000

    private struct Line {
        var waiting: [Delivery] = []
        var isInFlight = false

        func isDue(at now: UnixTime) -> Bool {
            !isInFlight && waiting.first.map { $0.dueAt <= now } ?? false
        }
    }

    private var lines: [String: Line] = [:]
    private var lineOfDelivery: [String: String] = [:]
    /// By receiver.
    private var inFlight: [String?: Int] = [:]
    private var random: SeededRandom

    /// - Parameter seed: of the random part of the delays.
    public init(seed: UInt64) { random = SeededRandom(seed: seed) }

    public var count: Int { lineOfDelivery.count }

    /// Appends a delivery to its line. Ignores one that is already in the outbox.
    ///
    /// - Returns: false when the outbox is full.
    @discardableResult
    public mutating func add(_ delivery: Delivery) -> Bool {
        guard lineOfDelivery[delivery.id] == nil else { return true }
        guard count < Self.waitingMaximum else { return false }
        lineOfDelivery[delivery.id] = delivery.line
        lines[delivery.line, default: Line()].waiting.append(delivery)
        return true
    }

    /// The orders for all due deliveries, the longest due first.
    public mutating func next(at now: UnixTime) -> [Order] {
        var orders: [Order] = []
        for (name, line) in lines.sorted(by: { $0.key < $1.key }) where line.isDue(at: now) {
            orders += giveUpOld(in: name, at: now)
        }
        let due = lines.filter { $0.value.isDue(at: now) }
            .compactMap { name, line in line.waiting.first.map { (name, $0) } }
            .sorted { ($0.1.dueAt, $0.1.id) < ($1.1.dueAt, $1.1.id) }
        for (name, delivery) in due where hasRoom(for: delivery.receiver) {
            lines[name]?.isInFlight = true
            inFlight[delivery.receiver, default: 0] += 1
            orders.append(.send(id: delivery.id))
        }
        return orders
    }

    /// Whether anything is in flight, or due now.
    public func isBusy(at now: UnixTime) -> Bool {
        !inFlight.isEmpty || nextDueAt.map { $0 <= now } ?? false
    }

    /// When `next` has something to do, unless a fact comes first. Nil for an outbox that is empty
    /// or only waits for answers.
    public var nextDueAt: UnixTime? {
        lines.values.filter { !$0.isInFlight }.compactMap(\.waiting.first)
            .filter { hasRoom(for: $0.receiver) }.map(\.dueAt).min()
    }

    private func hasRoom(for receiver: String?) -> Bool {
        inFlight[receiver, default: 0] < Self.inFlightMaximum
    }

    /// The result of an attempt.
    ///
    /// - Parameter isAccepted: whether the receiver answered 200; nothing else counts.
    public mutating func answered(
        _ id: String, isAccepted: Bool, at now: UnixTime
    ) -> [Order] {
        guard let name = lineOfDelivery[id], lines[name]?.isInFlight == true,
            var delivery = lines[name]?.waiting.first, delivery.id == id
        else { return [] }
        lines[name]?.isInFlight = false
        let others = inFlight[delivery.receiver, default: 1] - 1
        inFlight[delivery.receiver] = others == 0 ? nil : others
        if isAccepted {
            removeFirst(of: name)
            return [.delivered(id: id)]
        }
        delivery.attempts += 1
        delivery.dueAt = now + delay(afterAttempts: delivery.attempts)
        guard delivery.dueAt < delivery.createdAt + Self.lifetime else {
            removeFirst(of: name)
            return [.giveUp(id: id)]
        }
        lines[name]?.waiting[0] = delivery
        return [.postpone(id: id, attempts: delivery.attempts, dueAt: delivery.dueAt)]
    }

    /// Doubles with each attempt, plus up to a quarter at random, so that simultaneous failures are
    /// not retried simultaneously.
    private mutating func delay(afterAttempts attempts: Int) -> Duration {
        let doublings = min(attempts - 1, 16)
        let base = min(Self.firstDelay.nanoseconds << doublings, Self.delayMaximum.nanoseconds)
        return .nanoseconds(base + Int64.random(in: 0...base / 4, using: &random))
    }

    private mutating func giveUpOld(in name: String, at now: UnixTime) -> [Order] {
        var orders: [Order] = []
        while let first = lines[name]?.waiting.first,
            first.createdAt + Self.lifetime <= now
        {
            removeFirst(of: name)
            orders.append(.giveUp(id: first.id))
        }
        return orders
    }

    private mutating func removeFirst(of name: String) {
        guard let id = lines[name]?.waiting.removeFirst().id else { return }
        lineOfDelivery[id] = nil
        if lines[name]?.waiting.isEmpty == true { lines[name] = nil }
    }
}
