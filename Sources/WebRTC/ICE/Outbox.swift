import MediaKernel

/// Outputs of an agent that the driver has not polled yet. States and paths replace each other, so
/// only datagrams need a limit; beyond it new ones are dropped, as on a full link.
struct Outbox: Sendable {
    private static let datagramsMaximum = 256

    private var selected: TransportAddress?
    private var state: ICEState?
    private var datagrams = BoundedQueue<ICEAgent.Output>(maximum: datagramsMaximum)

    mutating func transmit(_ datagram: [UInt8], to address: TransportAddress) {
        datagrams.append(.transmit(datagram, to: address))
    }

    mutating func tell(selected address: TransportAddress) { selected = address }
    mutating func tell(state: ICEState) { self.state = state }

    mutating func popFirst() -> ICEAgent.Output? {
        if let address = selected {
            selected = nil
            return .selected(address)
        }
        if let state {
            self.state = nil
            return .state(state)
        }
        return datagrams.popFirst()
    }
}
