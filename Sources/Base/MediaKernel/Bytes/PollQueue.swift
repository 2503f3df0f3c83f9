/// What a core has yet to hand over, in order. It has no maximum: a call of a core adds a few, and
/// its shell takes all of them before the next call.
public struct PollQueue<Element> {
    private var elements: [Element] = []
    private var taken = 0

    public init() {}

    public mutating func append(_ element: Element) { elements.append(element) }

    /// The next element, until nil.
    public mutating func poll() -> Element? {
        guard taken < elements.count else {
            elements.removeAll(keepingCapacity: true)
            taken = 0
            return nil
        }
        taken += 1
        return elements[taken - 1]
    }
}

extension PollQueue: Sendable where Element: Sendable {}
