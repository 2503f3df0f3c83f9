/// The kernel's generator, as a `RandomNumberGenerator` for keys, passwords and identifiers.
///
/// It cannot fail and needs no seed, so nothing that draws a secret has to handle an error.
public struct SecureRandom: RandomNumberGenerator, Sendable {
    private var system = SystemRandomNumberGenerator()

    public init() {}

    public mutating func next() -> UInt64 { system.next() }
}

/// Returns unpredictable bytes.
public func secureRandomBytes(_ count: Int) -> [UInt8] {
    precondition(count >= 0, "a number of bytes is not negative")
    var generator = SecureRandom()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
        withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
}
