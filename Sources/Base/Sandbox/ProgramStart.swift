public import Glibc

/// Starts foreign programs, for the keepers of those that a confined process needs.
public enum ProgramStart {
    /// What a foreign program may know of this process' variables: nothing of the server's, no token
    /// and no key.
    public static var plainEnvironment: [String] {
        let names: [String] = [
            "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH",
        ]
        return names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    }

    /// Above all that a program gets: moving one of them there closes none that is still to be moved.
    private static let lowestDescriptor: CInt = 10

    /// A pipe of which a program gets only the ends that it is given.
    ///
    /// - Returns: nil with `errno`.
    public static func pipe() -> (read: CInt, write: CInt)? {
        var ends: [CInt] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        return moved(ends).map { (read: $0, write: $1) }
    }

    /// Two connected sockets, likewise.
    ///
    /// - Returns: nil with `errno`.
    public static func socketPair() -> (CInt, CInt)? {
        var ends: [CInt] = [0, 0]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
        return moved(ends)
    }

    private static func moved(_ ends: [CInt]) -> (CInt, CInt)? {
        var moved: [CInt] = []
        for end in ends {
            let place = fcntl(end, F_DUPFD_CLOEXEC, lowestDescriptor)
            guard place >= 0 else {
                let code = errno
                for end in ends + moved { close(end) }
                errno = code
                return nil
            }
            moved.append(place)
        }
        for end in ends { close(end) }
        return (moved[0], moved[1])
    }

    /// Starts a program in a process group of its own, with this process' descriptors. It starts with
    /// all that it was to get, or not at all: a descriptor that is none, as that of a file that could
    /// not be opened, would leave it this process' own.
    ///
    /// - Returns: nil with `errno`.
    public static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String],
        descriptors: [(from: CInt, to: CInt)] = []
    ) -> pid_t? {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setpgroup(&attributes, 0)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (from, to) in descriptors {
            let result = posix_spawn_file_actions_adddup2(&actions, from, to)
            guard result == 0 else {
                errno = result
                return nil
            }
        }
        var process: pid_t = 0
        let words = ([program] + arguments).map { strdup($0) }
        let variables = environment.map { strdup($0) }
        defer { for text in words + variables { free(text) } }
        guard !(words + variables).contains(nil) else {
            errno = ENOMEM
            return nil
        }
        let result = posix_spawn(
            &process, program, &actions, &attributes, words + [nil], variables + [nil])
        guard result == 0 else {
            errno = result
            return nil
        }
        return process
    }
}
