import Digests
import Foundation
import Glibc
import MediaKernel
import Recording

/// The exclusive right to serve a directory, until it is released or the process ends.
///
/// A lock on a file in the directory keeps other servers out. But somebody may delete the directory
/// and create another at the same path, so the path is claimed too: by a Unix socket with an
/// abstract name derived from it (unix(7)), which is independent of the file system.
final class DirectoryClaim: Sendable {
    private let lock: StreamLock
    /// Nil if the path could not be claimed: a stranger's socket has the name, or sockets are
    /// unavailable.
    private let path: PathClaim?

    /// Never waits.
    ///
    /// - Parameter directory: an existing directory.
    /// - Returns: nil if another server has claimed it.
    /// - Throws: `RecordingError`.
    init?(_ directory: String) throws(RecordingError) {
        guard let lock = try StreamLock.take(in: directory) else { return nil }
        switch PathClaim.take(directory) {
        case .taken(let claim): path = claim
        case .unavailable: path = nil
        case .held: return nil
        }
        self.lock = lock
    }
}

/// A listening socket with an abstract name derived from a path.
private final class PathClaim: Sendable {
    enum Outcome {
        case taken(PathClaim)
        /// Another process of this user has the claim.
        case held
        case unavailable
    }

    private let socket: Int32

    private init(socket: Int32) { self.socket = socket }

    deinit { close(socket) }

    static func take(_ directory: String) -> Outcome {
        let socket = Glibc.socket(AF_UNIX, type, 0)
        guard socket >= 0 else { return .unavailable }
        let result = withAddress(of: directory) { bind(socket, $0, $1) }
        if result == 0, listen(socket, 1) == 0 { return .taken(PathClaim(socket: socket)) }
        let code = errno
        close(socket)
        return code == EADDRINUSE && isOurs(directory) ? .held : .unavailable
    }

    /// Closed on exec, so that a bot does not keep its dead server's claim.
    private static let type = Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK

    /// Whether this user or root holds the name: anybody else may take a name to keep a server from
    /// starting.
    private static func isOurs(_ directory: String) -> Bool {
        let socket = Glibc.socket(AF_UNIX, type, 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        guard withAddress(of: directory, { connect(socket, $0, $1) }) == 0 else {
            // The holder's backlog is full of servers that were refused earlier.
            return errno == EAGAIN
        }
        // `struct ucred`, which the headers declare for GNU sources only: process, user, group.
        var peer: (pid_t, uid_t, gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return false }
        return peer.1 == geteuid() || peer.1 == 0
    }

    /// The name is a hash of the path with links resolved, since a socket's name has at most 107
    /// bytes.
    private static func withAddress<Result>(
        of directory: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        let canonical = URL(fileURLWithPath: directory).resolvingSymlinksInPath().path
        let hash = Hexadecimal.text(Digest.sha256.hash(Array(canonical.utf8)))
        let name = [0] + Array("roomcast-\(hash)".utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = MemoryLayout<sa_family_t>.size + name.count
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
