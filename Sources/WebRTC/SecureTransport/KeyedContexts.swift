import Synchronization

/// The cipher contexts shared by the sessions of one direction of a connection.
///
/// Each libsrtp session has its own ciphers, but all sessions of a direction have the same keys.
/// With ten voices to a hundred subscribers, the tables of a thousand ciphers did not fit the
/// cache; those of a hundred do.
///
/// Confined to the thread of its connection, as the sessions are.
final class KeyedContexts {
    /// Held while libsrtp makes a session, because it passes no argument of ours to new instances.
    private static let making = Mutex<Void>(())
    /// The contexts of the session being made. Nil while libsrtp tests its ciphers.
    nonisolated(unsafe) private static var current: KeyedContexts?

    private var contexts: [KeyedContext] = []

    /// Calls `srtp_create` so that the new instances use these contexts.
    func sharing<Result>(_ create: () -> Result) -> Result {
        Self.making.withLock { _ in
            Self.current = self
            defer { Self.current = nil }
            return create()
        }
    }

    /// The context for an instance being made.
    ///
    /// - Parameter make: makes a context if there is none under the key yet; returns nil on
    ///   failure.
    static func context(
        _ kind: KeyedContext.Kind, key: UnsafeRawBufferPointer, make: () -> KeyedContext?
    ) -> KeyedContext? {
        if let known = current?.contexts.first(where: { $0.isOf(kind, key: key) }) { return known }
        guard let made = make() else { return nil }
        current?.contexts.append(made)
        return made
    }
}
