import Glibc

/// A user of the machine, by its numbers.
public struct SystemUser: Hashable, Sendable, CustomStringConvertible {
    public var user: UInt32
    public var group: UInt32

    public static let root = SystemUser(user: 0, group: 0)

    public init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }

    /// Looks a name up, with the user's own group. Nil for an unknown user.
    public init?(named name: String) {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var strings = [CChar](repeating: 0, count: Self.entryBytesMaximum)
        guard getpwnam_r(name, &entry, &strings, strings.count, &found) == 0, found != nil else {
            return nil
        }
        self.init(user: entry.pw_uid, group: entry.pw_gid)
    }

    /// Reads the form of `description`: `65534:65534`.
    public init?(_ text: String) {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false)
        guard numbers.count == 2, let user = UInt32(numbers[0]), let group = UInt32(numbers[1])
        else { return nil }
        self.init(user: user, group: group)
    }

    public var description: String { "\(user):\(group)" }

    /// Whether this process may become another user.
    public static var mayChange: Bool { geteuid() == 0 }

    /// For an entry's name, directory and shell. sysconf(3) only gives a hint.
    private static let entryBytesMaximum = 1 << 16
}
