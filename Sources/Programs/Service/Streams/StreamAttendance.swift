public import MediaKernel

/// Who was in a stream's conference at any time, in the order in which they came.
public struct StreamAttendance: Hashable, Sendable {
    /// Later ones are left out.
    static let peersMaximum = 1000
    /// Of all identities as text.
    static let bytesMaximum = 512 << 10

    private var places: [String: Int] = [:]
    public private(set) var identities: [JSONValue] = []
    private var byteCount = 0

    public init() {}

    /// - Parameter peer: its id in the room.
    mutating func add(_ identity: JSONValue, of peer: String) {
        let place = places[peer]
        guard place != nil || places.count < Self.peersMaximum else { return }
        let before = place.map { Self.byteCount(of: identities[$0]) } ?? 0
        let after = byteCount - before + Self.byteCount(of: identity)
        guard after <= Self.bytesMaximum else { return }
        byteCount = after
        if let place {
            identities[place] = identity
        } else {
            places[peer] = identities.count
            identities.append(identity)
        }
    }

    private static func byteCount(of identity: JSONValue) -> Int {
        StableJSON.bytes(identity).count
    }
}
