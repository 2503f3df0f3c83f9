/// The effects that a room has yet to hand over, in order.
struct RoomEffects: Sendable {
    // Bounded by the effects of one call: a few per peer, drained before the next call.
    private var effects: [RoomEffect] = []
    private var taken = 0

    mutating func append(_ effect: RoomEffect) { effects.append(effect) }

    /// The next effect; nil when there are no more.
    mutating func next() -> RoomEffect? {
        guard taken < effects.count else {
            effects.removeAll(keepingCapacity: true)
            taken = 0
            return nil
        }
        taken += 1
        return effects[taken - 1]
    }
}
