/// A range with both ends included, either of which may be missing.
public struct OpenRange<Bound: Comparable & Hashable & Sendable>: Hashable, Sendable {
    public var from: Bound?
    public var to: Bound?

    public init(from: Bound? = nil, to: Bound? = nil) {
        self.from = from
        self.to = to
    }

    public func contains(_ value: Bound) -> Bool {
        (from.map { $0 <= value } ?? true) && (to.map { value <= $0 } ?? true)
    }

    /// Contains everything.
    public var isUnbounded: Bool { from == nil && to == nil }
}
