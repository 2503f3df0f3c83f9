public import MediaKernel
import NIOPosix

/// Resolves host names without blocking the caller's thread.
public enum NameResolver {
    /// An unresponsive resolver blocks a thread, so it has threads of its own, apart from those
    /// that read files.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
        return threads
    }()

    /// - Parameter host: a name, or an address as text.
    /// - Throws: `HostLookup.Failure`.
    public static func addresses(of host: String) async throws -> [TransportAddress] {
        try await threads.runIfActive { try HostLookup.addresses(of: host) }
    }
}
