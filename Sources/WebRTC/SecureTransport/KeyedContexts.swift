import Synchronization

/// What the sessions of one direction of a connection have in common.
///
/// Each of libsrtp's sessions has ciphers of its own, and all of a direction have the same keys. With
/// ten voices to a hundred subscribers a thousand of them take turns, and their tables were in
/// nobody's cache; those of a hundred are.
///
/// Confined to the thread of its connection, as the sessions are.
final class KeyedContexts {
    /// Held while libsrtp makes a session: it hands nothing of ours on to the instances it makes.
    private static let making = Mutex<Void>(())
    /// Those of the session that is being made. Nil while libsrtp tests its ciphers.
    nonisolated(unsafe) private static var current: KeyedContexts?

    private var contexts: [KeyedContext] = []

    /// Calls `srtp_create` such that the instances it makes find these.
    func sharing<Result>(_ create: () -> Result) -> Result {
        Self.making.withLock { _ in
            Self.current = self
            defer { Self.current = nil }
            return create()
        }
    }

    /// That of an instance which is being made.
    ///
    /// - Parameter make: an instance's own, if there is none under the key yet; nil when it fails.
    static func context(
        _ kind: KeyedContext.Kind, key: UnsafeRawBufferPointer, make: () -> KeyedContext?
    ) -> KeyedContext? {
        if let known = current?.contexts.first(where: { $0.isOf(kind, key: key) }) { return known }
        guard let made = make() else { return nil }
        current?.contexts.append(made)
        return made
    }
}
