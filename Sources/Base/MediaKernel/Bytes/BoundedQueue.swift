/// A first-in, first-out queue with a maximum. A full queue refuses; the caller decides what to do.
public struct BoundedQueue<Element> {
    public let maximum: Int
    private var elements: [Element?] = []
    private var head = 0

    public init(maximum: Int) {
        precondition(maximum > 0, "a queue holds at least one element")
        self.maximum = maximum
    }

    public var count: Int { elements.count - head }
    public var isEmpty: Bool { count == 0 }
    public var isFull: Bool { count >= maximum }
    public var first: Element? { isEmpty ? nil : elements[head] }

    /// Appends unless full. Returns whether the element was taken.
    @discardableResult
    public mutating func append(_ element: Element) -> Bool {
        guard !isFull else { return false }
        elements.append(element)
        return true
    }

    public mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        // Compact when half is spent, so that the cost per element stays constant.
        if head > 32, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    public mutating func removeAll() {
        elements.removeAll(keepingCapacity: true)
        head = 0
    }
}

extension BoundedQueue: Sendable where Element: Sendable {}
