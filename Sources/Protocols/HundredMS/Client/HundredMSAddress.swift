import Foundation
public import Logging
public import MediaClient
import MediaKernel
public import NIOCore
public import RemoteRoom

/// A room on a server that speaks 100ms' protocol: a Roomcast server, or 100ms'.
public struct HundredMSAddress: RoomAddress {
    /// Origin of the server: `http://127.0.0.1:8080`.
    public var endpoint: String
    /// A room token, which identifies the room.
    public var token: String

    public init(endpoint: String, token: String) {
        self.endpoint = endpoint
        self.token = token
    }

    public func room(
        for guest: RoomGuest, on group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) -> HundredMSClient {
        HundredMSClient(
            configuration: HundredMSClient.Configuration(
                endpoint: endpoint, token: token, peer: PeerID(UUID().uuidString.lowercased()),
                guest: guest),
            group: group, logger: logger, makeObserver: makeObserver)
    }
}
