public import Logging
public import MediaClient
public import MediaKernel
public import NIOCore
public import RemoteRoom

/// The endpoint of a WHEP server. draft-ietf-wish-whep-03.
public struct WHEPAddress: RoomAddress {
    public var endpoint: String
    /// A bearer token; nil for an endpoint that needs none.
    public var token: String?
    /// The hosts that may be asked, also where the server sends us elsewhere.
    public var hosts: WebHosts

    public init(endpoint: String, token: String?, hosts: WebHosts) {
        self.endpoint = endpoint
        self.token = token
        self.hosts = hosts
    }

    /// WHEP has no names: of the guest, the network counts, and whether it receives video.
    public func room(
        for guest: RoomGuest, on group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) -> WHEPPlayback {
        WHEPPlayback(
            address: self, guest: guest, eventLoop: group.next(), logger: logger,
            makeObserver: makeObserver)
    }
}
