public import Logging
public import MediaClient
public import MediaKernel
public import NIOCore
public import RemoteRoom

/// A page of the web, which a browser shows and plays.
public struct WebPageAddress: RoomAddress {
    public var page: WebAddress
    /// The browser, already started.
    public var browser: BrowserHandle
    /// The size of the picture, which is the page's.
    public var width: Int
    public var height: Int
    public var frameRate: Int
    /// Whether the page says when it is ready.
    public var awaitsSignal: Bool
    /// The hosts that may be on the server's own machine and network, and may use WebRTC.
    public var hosts: WebHosts
    /// Where the page's console and its last picture are kept.
    public var directory: String

    public init(
        page: WebAddress, browser: BrowserHandle, width: Int, height: Int, frameRate: Int,
        awaitsSignal: Bool, hosts: WebHosts, directory: String
    ) {
        self.page = page
        self.browser = browser
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.awaitsSignal = awaitsSignal
        self.hosts = hosts
        self.directory = directory
    }

    /// A page has no names: whether video is received is all that is used of the guest.
    public func room(
        for guest: RoomGuest, on group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) -> WebPageRoom {
        WebPageRoom(
            address: self, guest: guest, eventLoop: group.next(), logger: logger,
            makeObserver: makeObserver)
    }
}
