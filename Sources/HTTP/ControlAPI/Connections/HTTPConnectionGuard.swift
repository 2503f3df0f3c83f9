import NIOCore
import NIOHTTP1

/// Ends connections of HTTP/1.1 on which nothing goes on, and says of each request whether it is
/// its connection's last. It sees the requests as they were parsed, and what could not be parsed.
final class HTTPConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    struct Limits {
        /// From the connection to its first request's head, and from a request's head to its end,
        /// however the bytes trickle in.
        var request: TimeAmount = .seconds(75)
        /// How long a client may take nothing of an answer. Long enough for a download that is slow
        /// behind large buffers; a player that was paused comes back with a `Range`.
        var reading: TimeAmount = .minutes(5)
        /// How long answers may still take when the server stops.
        var stopping: TimeAmount = .seconds(5)
    }

    /// A request that cannot be read to its end, though its head could.
    struct BrokenRequest: Error {}

    private let limits: Limits
    /// Between a request's head and its end.
    private var isWithinRequest = false
    private var requestDeadline: Scheduled<Void>?
    private var readingDeadline: Scheduled<Void>?
    private var stoppingDeadline: Scheduled<Void>?

    init(_ limits: Limits = Limits()) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        requestDeadline = close(context, in: limits.request)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            requestDeadline?.cancel()
            requestDeadline = close(context, in: limits.request)
            isWithinRequest = true
            context.fireChannelRead(wrapInboundOut(.head(Self.normalized(head))))
        case .body:
            context.fireChannelRead(data)
        case .end:
            requestDeadline?.cancel()
            requestDeadline = nil
            isWithinRequest = false
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

    /// Each request has one answer, in its turn: who answers them meets the error behind all that
    /// was asked before, and says 400 to what is no request. One whose head was sound has an answer
    /// of its own, so that it must not be taken for a second one.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isBroken = error is HTTPParserError && isWithinRequest
        context.fireErrorCaught(isBroken ? BrokenRequest() : error)
        // A client that sends on behind its request for a socket before that is answered.
        if error is ByteToMessageDecoderError.PayloadTooLargeError { context.close(promise: nil) }
    }

    /// A server that has begun to stop does not wait for what the connection has become since.
    func handlerRemoved(context: ChannelHandlerContext) {
        requestDeadline?.cancel()
        readingDeadline?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        for deadline in [requestDeadline, readingDeadline, stoppingDeadline] { deadline?.cancel() }
        context.fireChannelInactive()
    }

    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    /// What follows looks for `close` alone. RFC 9112 sect. 9.3: the word may stand among others,
    /// in any case, and HTTP/1.0 means it without saying so. A request for another protocol is the
    /// last one, too, since NIO's parser stops for good behind it; what cannot become a WebSocket
    /// is answered like any request (`curl --http2` sends `Upgrade: h2c`). So is one that waits to
    /// be asked for its body: whether that follows a refusal is the client's choice.
    static func normalized(_ head: HTTPRequestHead) -> HTTPRequestHead {
        let words = head.headers[canonicalForm: "connection"].map { $0.lowercased() }
        let isForAnotherProtocol = head.headers.contains(name: "upgrade")
        var head = head
        if isForAnotherProtocol, !WebSocketHandshake.isComplete(head) {
            head.headers.remove(name: "upgrade")
        }
        let waits = waitsToBeAsked(head)
        if !waits, head.headers.contains(name: "expect") { head.headers.remove(name: "expect") }
        if isForAnotherProtocol || waits || head.version != .http1_1 || words.contains("close") {
            head.headers.replaceOrAdd(name: "connection", value: "close")
        }
        return head
    }

    /// RFC 9110 sect. 10.1.1: nothing is said to HTTP/1.0, and to who has no body to send.
    private static func waitsToBeAsked(_ head: HTTPRequestHead) -> Bool {
        head.version == .http1_1
            && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
            && (head.headers.contains(name: "transfer-encoding")
                || head.headers["content-length"].contains { $0 != "0" })
    }
}
