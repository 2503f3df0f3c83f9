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

    /// Starts a program in a process group of its own, with this process' descriptors.
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
        for (from, to) in descriptors { posix_spawn_file_actions_adddup2(&actions, from, to) }
        var process: pid_t = 0
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        let result = posix_spawn(&process, program, &actions, &attributes, words, variables)
        guard result == 0 else {
            errno = result
            return nil
        }
        return process
    }
}
