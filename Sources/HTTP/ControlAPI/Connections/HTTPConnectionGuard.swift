import NIOCore
import NIOHTTP1

/// Ends idle connections of HTTP/1.1, and marks each request that is its connection's last. It sees
/// the requests as they were parsed, and parser errors.
final class HTTPConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    struct Limits {
        /// From the connection to its first request's head, and from a request's head to its end,
        /// however slowly the bytes arrive.
        var request: TimeAmount = .seconds(75)
        /// How long a client may read nothing of an answer. Long enough for a slow download behind
        /// large buffers; a paused player returns with a `Range`.
        var reading: TimeAmount = .minutes(5)
        /// How long answers may still take when the server shuts down.
        var stopping: TimeAmount = .seconds(5)
    }

    /// A request whose head is valid, but which cannot be read to its end.
    struct BrokenRequest: Error {}

    private let limits: Limits
    /// Between a request's head and its end.
    private var isWithinRequest = false
    private var requestDeadline: Scheduled<Void>?
    /// Since when the client has read nothing of an answer; nil while it reads.
    private var unreadSince: NIODeadline?
    /// Outlives the reason for which it was set: answers begin and end far more often than it ends.
    private var readingDeadline: Scheduled<Void>?
    private var stoppingDeadline: Scheduled<Void>?
    /// The connection closes without what has not been sent yet.
    private var isOver = false

    init(_ limits: Limits = Limits()) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        requestDeadline = close(context, in: limits.request)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            requestDeadline?.cancel()
            requestDeadline = nil
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

    /// Most requests come whole, in one read, and need no deadline.
    func channelReadComplete(context: ChannelHandlerContext) {
        if isWithinRequest, requestDeadline == nil {
            requestDeadline = close(context, in: limits.request)
        }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        unreadSince = context.channel.isWritable ? nil : context.eventLoop.now
        if unreadSince != nil, readingDeadline == nil { watchReading(context, for: limits.reading) }
        context.fireChannelWritabilityChanged()
    }

    private func watchReading(_ context: ChannelHandlerContext, for time: TimeAmount) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        readingDeadline = context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            handler.readingDeadline = nil
            guard let since = handler.unreadSince else { return }
            let left = since + handler.limits.reading - context.eventLoop.now
            if left <= .zero {
                handler.end(context.channel)
            } else {
                handler.watchReading(context, for: left)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, stoppingDeadline == nil {
            stoppingDeadline = close(context, in: limits.stopping)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// When the server shuts down, the routes close a connection as soon as its last answer is
    /// written, and NIO would drop what a slow reader has not taken of it.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, stoppingDeadline != nil, !isOver else {
            return context.close(mode: mode, promise: promise)
        }
        let bound = NIOLoopBound((self, context.channel), eventLoop: context.eventLoop)
        // An empty part is written when all that waits before it has been.
        let nothing = wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))
        context.writeAndFlush(nothing).whenComplete { _ in
            let (handler, channel) = bound.value
            handler.isOver = true
            channel.close(promise: promise)
        }
    }

    private func end(_ channel: any Channel) {
        isOver = true
        channel.close(promise: nil)
    }

    /// Each request has one answer, in its turn: the responder meets the error after all earlier
    /// requests, and answers 400 to bytes that are no request. A request with a valid head has its
    /// own answer, so its error must not look like a second request.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isBroken = error is HTTPParserError && isWithinRequest
        context.fireErrorCaught(isBroken ? BrokenRequest() : error)
        // The client keeps sending after a WebSocket request that has not been answered yet.
        if error is ByteToMessageDecoderError.PayloadTooLargeError { context.close(promise: nil) }
    }

    /// A server that is shutting down does not wait for a connection that is no longer HTTP.
    func handlerRemoved(context: ChannelHandlerContext) {
        requestDeadline?.cancel()
        readingDeadline?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        for deadline in [requestDeadline, readingDeadline, stoppingDeadline] { deadline?.cancel() }
        context.fireChannelInactive()
    }

    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
        let bound = NIOLoopBound((self, context.channel), eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: time) { bound.value.0.end(bound.value.1) }
    }

    /// The following handlers only look for `close`. RFC 9112 sect. 9.3: the word may be one of
    /// several, in any case, and HTTP/1.0 implies it. A request for another protocol is also the
    /// last one, since NIO's parser stops for good after it; requests that cannot become a
    /// WebSocket are answered like any other (`curl --http2` sends `Upgrade: h2c`). So is a request
    /// that waits for permission to send its body: after a refusal the client may or may not send
    /// it.
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

    /// RFC 9110 sect. 10.1.1: HTTP/1.0 and requests without a body get no interim answer.
    private static func waitsToBeAsked(_ head: HTTPRequestHead) -> Bool {
        head.version == .http1_1
            && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
            && (head.headers.contains(name: "transfer-encoding")
                || head.headers["content-length"].contains { $0 != "0" })
    }
}
