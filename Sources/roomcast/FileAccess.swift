import Glibc

/// Who may read what this program writes: chats, recordings and the catalogue with its room codes
/// are for its own user, and for its group, in which a web server is that serves the streams.
enum FileAccess {
    /// Writing by the group, and everything by others.
    private static let withheld: mode_t = 0o027

    /// For this process and those that it starts. Whatever is withheld already stays so.
    static func narrow() { umask(umask(withheld) | withheld) }
}
