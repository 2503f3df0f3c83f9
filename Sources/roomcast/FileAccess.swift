import Glibc

/// The access to files that this program writes: chats, recordings and the catalogue with its room
/// codes are for its own user, and for its group, which includes a web server that serves the
/// streams.
enum FileAccess {
    /// Writing by the group, and all access by others.
    private static let withheld: mode_t = 0o027

    /// For this process and the processes that it starts. Rights that are already withheld stay so.
    static func narrow() { umask(umask(withheld) | withheld) }
}
