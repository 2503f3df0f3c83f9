/// Why a client's media cannot do what is asked of them.
public enum ClientMediaError: Error, Hashable, Sendable {
    /// The connection has been closed, or was not opened.
    case closed
}
