import CSandbox
import Glibc

/// The kernel's sandbox for files, ports and processes: landlock(7).
enum Landlock {
    /// The version with all the features used here.
    private static let versionWanted = 6
    /// LANDLOCK_ACCESS_NET_BIND_TCP: confined processes never listen. A bot's destinations are not
    /// known in advance.
    private static let bindPort: UInt64 = 1 << 0
    /// LANDLOCK_ACCESS_NET_CONNECT_TCP
    private static let connectPort: UInt64 = 1 << 1
    /// Abstract UNIX sockets of, and signals to, processes outside.
    private static let scopes: UInt64 = 1 << 0 | 1 << 1

    /// - Returns: what this kernel's version lacks.
    static func enforce(_ plan: SandboxPlan) -> SandboxGap? {
        let version = Int(roomcast_landlock_version())
        guard version > 0 else { return .files(error: errno) }
        var ruleset = roomcast_landlock_ruleset()
        ruleset.file_accesses = FileAccesses.all(version: version)
        ruleset.network_accesses = plan.families.isEmpty ? bindPort | connectPort : bindPort
        ruleset.scopes = scopes
        let rules = roomcast_landlock_create(&ruleset, knownBytes(version: version))
        guard rules >= 0 else { return .files(error: errno) }
        defer { close(rules) }
        for path in plan.paths { allow(path, in: rules, version: version) }
        guard roomcast_landlock_enforce(rules) == 0 else { return .files(error: errno) }
        return version < versionWanted ? .fileVersion(version) : nil
    }

    /// The kernel refuses a longer structure than its own if the rest is not zero.
    private static func knownBytes(version: Int) -> Int {
        switch version {
        case ..<4: 8
        case 4, 5: 16
        default: 24
        }
    }

    private static func allow(_ path: SandboxPlan.Path, in rules: Int32, version: Int) {
        let file = roomcast_name_file(path.path)
        guard file >= 0 else { return }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            close(file)
            return
        }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        _ = roomcast_landlock_allow(
            rules, file,
            FileAccesses.of(path.access, isDirectory: isDirectory, version: version))
        // The kernel makes the files of `/proc` when they are opened, and forgets them. After
        // closing, they would be other files, which no rule knows.
        if !path.path.hasPrefix("/proc/") { close(file) }
    }
}
