/// Elements keyed by extended sequence number, in a window of at most `maximum` numbers.
///
/// Starts small and doubles only when two live numbers need the same slot, so an idle stream stays
/// cheap. At the maximum size the newer of the two wins the slot.
struct SequenceRing<Element> {
    /// A power of two.
    let maximum: Int
    private var slots: [Slot?]
    private(set) var count = 0

    fileprivate struct Slot {
        var number: Int64
        var element: Element
    }

    private static var initialSlots: Int { 64 }

    /// - Parameter maximum: rounded up to a power of two.
    init(maximum: Int) {
        precondition(maximum > 0 && maximum <= 65_536, "a ring's window is 1 ... 65536 numbers")
        var rounded = 1
        while rounded < maximum { rounded *= 2 }
        self.maximum = rounded
        slots = Array(repeating: nil, count: min(rounded, Self.initialSlots))
    }

    private func place(of number: Int64) -> Int { Int(number & Int64(slots.count - 1)) }

    subscript(number: Int64) -> Element? {
        get {
            guard let slot = slots[place(of: number)], slot.number == number else { return nil }
            return slot.element
        }
        set {
            if let newValue {
                insert(newValue, at: number)
            } else if slots[place(of: number)]?.number == number {
                slots[place(of: number)] = nil
                count -= 1
            }
        }
    }

    private mutating func insert(_ element: Element, at number: Int64) {
        while let other = slots[place(of: number)], other.number != number,
            slots.count < maximum
        {
            grow()
        }
        let index = place(of: number)
        if let other = slots[index] {
            guard other.number <= number else { return }
        } else {
            count += 1
        }
        slots[index] = Slot(number: number, element: element)
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: nil, count: old.count * 2)
        for case .some(let slot) in old { slots[place(of: slot.number)] = slot }
    }

    mutating func removeAll() {
        guard count > 0 else { return }
        slots = Array(repeating: nil, count: min(maximum, Self.initialSlots))
        count = 0
    }
}

extension SequenceRing: Sendable where Element: Sendable {}
extension SequenceRing.Slot: Sendable where Element: Sendable {}
