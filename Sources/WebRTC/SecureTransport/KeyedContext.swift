/// An OpenSSL context with its permanent key.
final class KeyedContext {
    enum Kind { case counterCipher, galoisCounterCipher, hashedCode }

    let pointer: OpaquePointer
    private let kind: Kind
    private var key: [UInt8]
    private let free: (OpaquePointer) -> Void

    /// - Parameter free: frees `pointer` and erases its key.
    init(
        _ pointer: OpaquePointer, kind: Kind, key: UnsafeRawBufferPointer,
        free: @escaping (OpaquePointer) -> Void
    ) {
        self.pointer = pointer
        self.kind = kind
        self.key = Array(key)
        self.free = free
    }

    deinit {
        free(pointer)
        for index in key.indices { key[index] = 0 }
    }

    func isOf(_ kind: Kind, key: UnsafeRawBufferPointer) -> Bool {
        self.kind == kind && self.key.elementsEqual(key)
    }
}
