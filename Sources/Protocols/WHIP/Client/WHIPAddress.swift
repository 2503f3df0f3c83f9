public import Logging
public import MediaClient
public import NIOCore
public import RemoteRoom

/// The endpoint of a WHIP server. RFC 9725.
public struct WHIPAddress: RoomAddress {
    public var endpoint: String
    /// A bearer token; nil for an endpoint that needs none.
    public var token: String?

    public init(endpoint: String, token: String?) {
        self.endpoint = endpoint
        self.token = token
    }

    /// WHIP has no names: the guest's network conditions are all that is used.
    public func room(
        for guest: RoomGuest, on group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) -> WHIPPublication {
        WHIPPublication(
            address: self, network: guest.network, eventLoop: group.next(), logger: logger,
            makeObserver: makeObserver)
    }
}
