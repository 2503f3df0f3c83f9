public import XMPP

/// All slots of this program.
public struct Brewery: Sendable {
    /// What a slot is to do.
    public struct Order: Hashable, Sendable {
        public let slot: Int
        public let order: BrewerySlot.Order
    }

    /// What the program as a whole is, for Jibri's HTTP interface and webhooks.
    public enum Business: String, Hashable, Sendable {
        /// A slot can be asked.
        case idle = "IDLE"
        case busy = "BUSY"
        /// Has recorded what it may, and must be started again.
        case expired = "EXPIRED"
    }

    private var slots: [BrewerySlot]

    /// - Parameter breweries: the room on each server that slots wait at.
    public init(slots: Int, breweries: [JID], isSingleUse: Bool = false) {
        self.slots = (0..<slots).map { _ in
            BrewerySlot(breweries: breweries, isSingleUse: isSingleUse)
        }
    }

    public func status(ofSlot slot: Int) -> SlotStatus { slots[slot].status }

    public var business: Business {
        if slots.contains(where: { !$0.status.isBusy }) { return .idle }
        return slots.allSatisfy(\.isExpired) ? .expired : .busy
    }

    public mutating func handle(_ fact: BrewerySlot.Fact, slot: Int) -> [Order] {
        var orders: [Order] = []
        if case .asked(let request, let server) = fact,
            let session = slots[slot].sessionToStart(by: request, server: server)
        {
            // Before we notice that a connection is gone, Jicofo may have given its session to
            // another slot.
            for other in slots.indices where other != slot {
                orders += take(.superseded(session: session), other)
            }
        }
        return orders + take(fact, slot)
    }

    /// What concerns the machine concerns each slot.
    public mutating func handle(_ fact: BrewerySlot.Fact) -> [Order] {
        slots.indices.flatMap { take(fact, $0) }
    }

    private mutating func take(_ fact: BrewerySlot.Fact, _ slot: Int) -> [Order] {
        slots[slot].handle(fact).map { Order(slot: slot, order: $0) }
    }
}
