/// The resource limits of a process, setrlimit(2). They only ever lower a limit.
public struct ResourceLimits: Hashable, Sendable {
    /// Bytes of a core file, which would contain the room's media.
    public var coreBytes: UInt64 = 0
    /// Bytes of private memory: several times the need of the largest stream seen.
    public var dataBytes: UInt64 = 8 << 30
    /// Threads and processes of the user, including the user's other bots and server.
    public var threads: UInt64 = 16384
    public var openFiles: UInt64 = 1024

    public init() {}
}
