import NIOCore

/// `udp.*`: the port of the media, and the threads behind it.
public struct UDPSettings: Hashable, Sendable {
    public var host = "0.0.0.0"
    public var port = 7882
    /// Threads that receive and forward media. Each room belongs to one thread.
    public var threads = min(System.coreCount, 8)
    /// IP addresses at which clients reach the port; empty for this machine's own.
    public var advertisedAddresses: [String] = []

    mutating func read(_ source: SettingsSource) throws(SettingsError) {
        host = source.text(.udpHost) ?? host
        port = try source.port(.udpPort) ?? port
        threads = try source.integer(.udpThreads, 1...64) ?? threads
        advertisedAddresses = try source.addresses(.udpAdvertisedAddresses)
    }
}
