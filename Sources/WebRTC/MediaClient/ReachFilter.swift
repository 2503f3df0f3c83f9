internal import Datagrams
public import Logging
public import MediaKernel
public import SDP

/// Leaves out the addresses that a server names and may not (``ServerReach``), and says once that it
/// does: a server behind a translation of addresses names its own again and again.
public struct ReachFilter: Sendable {
    public var reach = ServerReach()
    private var hasTold = false
    private let logger: Logger

    public init(logger: Logger) { self.logger = logger }

    /// Where a host is found; nowhere if its name is not known.
    public static func addresses(of host: String) async -> [TransportAddress] {
        (try? await NameResolver.addresses(of: host)) ?? []
    }

    /// The description without the candidates that are not used.
    public mutating func admitted(_ description: SessionDescription) -> SessionDescription {
        let (description, refused) = reach.admitted(description)
        if let refused { tell(refused) }
        return description
    }

    /// - Parameter candidate: as in a description, or trickled.
    public mutating func admits(candidate: String) -> Bool {
        guard !reach.admits(candidate: candidate) else { return true }
        tell(candidate)
        return false
    }

    /// The first address of a host that the server has named, of those that it may name.
    public mutating func first(of addresses: [TransportAddress]) -> TransportAddress? {
        let admitted = addresses.first(where: reach.admits(_:))
        if admitted == nil, let refused = addresses.first { tell(refused.host) }
        return admitted
    }

    private mutating func tell(_ refused: String) {
        guard !hasTold else { return }
        hasTold = true
        logger.notice(
            "an address that the server may not name is not used",
            metadata: ["candidate": "\(refused.prefix(128))"])
    }
}
