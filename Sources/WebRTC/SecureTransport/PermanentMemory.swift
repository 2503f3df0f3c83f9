/// Permanent memory for libsrtp, which keeps pointers to it for the life of the process.
enum PermanentMemory {
    static func value<Value>(_ value: Value) -> UnsafeMutablePointer<Value> {
        let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        place.initialize(to: value)
        return place
    }

    static func bytes(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8> {
        let place = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        place.initialize(from: bytes, count: bytes.count)
        return place
    }

    static func text(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
