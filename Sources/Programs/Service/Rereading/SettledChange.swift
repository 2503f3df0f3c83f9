/// Notices when a value that is looked at from time to time is another one, and stays that for two
/// looks: a file that is still being written is left alone.
struct SettledChange<Value: Hashable & Sendable>: Sendable {
    private var taken: Value
    private var seen: Value

    init(from value: Value) { (taken, seen) = (value, value) }

    /// - Returns: true once for each change that has settled.
    mutating func look(_ value: Value) -> Bool {
        defer { seen = value }
        guard value == seen, value != taken else { return false }
        taken = value
        return true
    }

    /// Notes a value that has been dealt with.
    mutating func take(_ value: Value) { (taken, seen) = (value, value) }
}
