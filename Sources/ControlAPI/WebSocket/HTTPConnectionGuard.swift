import NIOCore
import NIOHTTP1

/// Ends connections of HTTP/1.1 on which nothing goes on, and says of each request whether it is
/// its connection's last. It sees the requests as they were parsed.
final class HTTPConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    struct Limits {
        /// From a request's head to its end, however its bytes trickle in.
        var request: TimeAmount = .seconds(75)
        /// How long a client may take nothing of an answer. Long enough for a download that is slow
        /// behind large buffers; a player that was paused comes back with a `Range`.
        var reading: TimeAmount = .minutes(5)
        /// How long answers may still take when the server stops.
        var stopping: TimeAmount = .seconds(5)
    }

    private let limits: Limits
    private var requestDeadline: Scheduled<Void>?
    private var readingDeadline: Scheduled<Void>?
    private var stoppingDeadline: Scheduled<Void>?

    init(_ limits: Limits = Limits()) { self.limits = limits }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            requestDeadline?.cancel()
            requestDeadline = close(context, in: limits.request)
            context.fireChannelRead(wrapInboundOut(.head(Self.normalized(head))))
        case .body:
            context.fireChannelRead(data)
        case .end:
            requestDeadline?.cancel()
            requestDeadline = nil
            context.fireChannelRead(data)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        readingDeadline?.cancel()
        readingDeadline = context.channel.isWritable ? nil : close(context, in: limits.reading)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, stoppingDeadline == nil {
            stoppingDeadline = close(context, in: limits.stopping)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    private func cancel() {
        for deadline in [requestDeadline, readingDeadline, stoppingDeadline] { deadline?.cancel() }
    }

    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    /// What follows looks for `close` alone. RFC 9112 sect. 9.3: the word may stand among others,
    /// in any case, and HTTP/1.0 means it without saying so.
    static func normalized(_ head: HTTPRequestHead) -> HTTPRequestHead {
        // Only the first request of a connection can become a WebSocket.
        guard !head.headers.contains(name: "upgrade") else { return UpgradeGate.stripped(head) }
        let words = head.headers[canonicalForm: "connection"].map { $0.lowercased() }
        guard head.version != .http1_1 || words.contains("close") else { return head }
        var head = head
        head.headers.replaceOrAdd(name: "connection", value: "close")
        return head
    }
}
