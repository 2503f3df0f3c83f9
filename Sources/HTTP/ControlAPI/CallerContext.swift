public import Hummingbird
public import NIOCore

/// A request's context with its connection and the remote address of that.
public struct CallerContext: RequestContext, RemoteAddressRequestContext {
    public var coreContext: CoreRequestContextStorage
    public let channel: any Channel
    public let remoteAddress: SocketAddress?

    public init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        remoteAddress = source.channel.remoteAddress
    }
}
