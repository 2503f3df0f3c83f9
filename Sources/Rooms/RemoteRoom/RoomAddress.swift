public import Logging
public import MediaClient
public import NIOCore

/// Where a room is and how to enter it: an address and the credentials of one protocol.
public protocol RoomAddress: Sendable {
    associatedtype Room: RemoteRoom

    /// How long a connection to the room may be lost before there is no use in waiting for it.
    var lossMaximum: Duration { get }

    /// The room, not joined yet.
    ///
    /// - Parameter makeObserver: called once, on the media loop.
    func room(
        for guest: RoomGuest, on group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) -> Room
}

extension RoomAddress {
    public var lossMaximum: Duration { .seconds(30) }
}

/// A program that joins a room.
public struct RoomGuest: Sendable {
    /// The name that others see, if the protocol has one.
    public var name: String
    public var metadata: String
    /// The network's effect on sent datagrams.
    public var network: NetworkConditions
    /// Whether video is received at all.
    public var receivesVideo: Bool
    /// See `ClientMedia.Configuration`.
    public var readingInterval: Duration?

    public init(
        name: String, metadata: String = "", network: NetworkConditions = NetworkConditions(),
        receivesVideo: Bool = true, readingInterval: Duration? = nil
    ) {
        self.name = name
        self.metadata = metadata
        self.network = network
        self.receivesVideo = receivesVideo
        self.readingInterval = readingInterval
    }
}
