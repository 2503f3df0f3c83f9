import Glibc

/// A protection that this kernel does not have or has refused.
public enum SandboxGap: Hashable, Sendable, CustomStringConvertible {
    case privileges(error: Int32)
    case capabilities(error: Int32)
    /// The process is still root.
    case user(SystemUser, error: Int32)
    case limit(String, error: Int32)
    /// Files are only protected by the user's rights.
    case files(error: Int32)
    /// Files are protected, but other processes can still get signals that are not sent by a
    /// filtered call: the version is below 6.
    case fileVersion(Int)
    /// There were this many threads already, and only one is confined.
    case threads(Int)
    /// All system calls are allowed.
    case calls(error: Int32)
    /// This architecture's system call numbers are not known.
    case architecture

    public var description: String {
        switch self {
        case .privileges(let error): "no_new_privs: \(Self.words(error))"
        case .capabilities(let error): "dropping capabilities: \(Self.words(error))"
        case .user(let user, let error): "becoming user \(user): \(Self.words(error))"
        case .limit(let name, let error): "the limit of \(name): \(Self.words(error))"
        case .files(let error): "Landlock: \(Self.words(error))"
        case .fileVersion(let version):
            "Landlock is of version \(version): \(Self.missing(version))"
        case .threads(let count): "Landlock: it holds for one of \(count) threads"
        case .calls(let error): "seccomp: \(Self.words(error))"
        case .architecture: "seccomp: the system calls of this architecture are not known"
        }
    }

    private static func words(_ error: Int32) -> String {
        switch error {
        case ENOSYS: "this kernel does not have it"
        case EOPNOTSUPP: "this kernel has it turned off"
        default: String(cString: strerror(error))
        }
    }

    private static func missing(_ version: Int) -> String {
        switch version {
        case 1: "no links into other directories, and none of truncate, TCP, devices, sockets"
        case 2: "nothing about truncate, TCP ports, devices, abstract sockets"
        case 3: "nothing about TCP ports, devices, abstract sockets"
        case 4: "nothing about devices, abstract sockets"
        default: "nothing about abstract sockets"
        }
    }
}
