/// Errors of a client's media.
public enum ClientMediaError: Error, Hashable, Sendable {
    /// The connection has been closed, or was not opened.
    case closed
    /// As many connections or sockets are open as may be.
    case tooMany(Int)
}
