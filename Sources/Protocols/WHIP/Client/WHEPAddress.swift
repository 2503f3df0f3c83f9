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
    /// The allowed hosts, redirections included.
    public var hosts: WebHosts

    public init(endpoint: String, token: String?, hosts: WebHosts) {
        self.endpoint = endpoint
        self.token = token
        self.hosts = hosts
    }

    /// A connection fails after 30 s, and then the source is asked anew for a minute.
    public var lossMaximum: Duration { .seconds(100) }

    /// WHEP has no names: the guest's network conditions and its choice of video are all that is
    /// used.
    public func room(
        for guest: RoomGuest, on group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) -> WHEPPlayback {
        WHEPPlayback(
            address: self, guest: guest, eventLoop: group.next(), logger: logger,
            makeObserver: makeObserver)
    }
}
