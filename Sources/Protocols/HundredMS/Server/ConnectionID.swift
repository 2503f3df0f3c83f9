/// Identifies one socket of one peer while it is open.
public struct ConnectionID: Hashable, Sendable {
    let rawValue: UInt64
}
