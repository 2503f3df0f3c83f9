import NIOCore

/// Where metrics are read without a token: an address that only the operator's own machines reach.
public struct MetricsAddress: Hashable, Sendable {
    public var host: String
    public var port: Int

    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// A few readers, each with a connection or two.
    public static let connectionsMaximum = 16
    static let idleTimeout: TimeAmount = .seconds(75)
}
