/// The resource limits of a process, setrlimit(2). None is ever raised.
public struct ResourceLimits: Hashable, Sendable {
    /// Bytes of a memory image left behind by a crash: it would hold what was said in the room.
    public var coreBytes: UInt64 = 0
    /// Bytes of private memory: several times what the largest stream was seen to need.
    public var dataBytes: UInt64 = 8 << 30
    /// Threads and processes of the whole user, whose other bots and server count too.
    public var threads: UInt64 = 16384
    public var openFiles: UInt64 = 1024

    public init() {}
}
