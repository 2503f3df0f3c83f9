import NIOCore
import NIOWebSocket

/// Refuses frames that RFC 6455 forbids a client to send and NIO's decoder lets through: unmasked
/// frames (sect. 5.1) and reserved bits without an extension (sect. 5.2).
final class WebSocketFrameCheck: ChannelInboundHandler, Sendable {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            context.fireErrorCaught(WebSocketGuard.Violation.forbiddenFrame)
            return
        }
        context.fireChannelRead(data)
    }
}

/// The last handler of an upgraded connection: it turns violations into a close frame with the
/// right code, pings a silent client and drops a dead one and one that does not read, reads no more
/// of one that sends on after the close frame, and says goodbye at a shutdown.
final class WebSocketGuard: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    enum Violation: Error { case forbiddenFrame }

    /// 100ms clients ping every 3 s of their own accord; any other client is pinged after this.
    static let pingAfter: TimeAmount = .seconds(20)
    /// Silent intervals in a row after which a client counts as dead: 60 s.
    static let silentIntervalsMaximum = 3
    /// How long a frame may wait until the client's TCP connection has taken it. The protocols wait
    /// for that before they close a socket, so a client that never reads would keep it for ever.
    static let unreadTimeout: TimeAmount = .seconds(30)
    /// How long the client may take to answer the server's close frame.
    static let closeTimeout: TimeAmount = .seconds(3)
    /// The frames that a client may send after the server's close frame. Clients that have not
    /// received it yet send fewer; one that sends without end would keep busy an event loop that it
    /// shares with others, and is no longer read.
    static let lateFramesMaximum = 1000

    private enum Phase {
        case open(silentIntervals: Int)
        /// The server has sent a close frame; later frames are not delivered.
        case closing(lateFrames: Int)
    }

    private var phase: Phase = .open(silentIntervals: 0)
    /// When each frame was written that the client's TCP connection has not taken, oldest first.
    private var unread = CircularBuffer<NIODeadline>()
    private var isWatchingUnread = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .open:
            phase = .open(silentIntervals: 0)
            context.fireChannelRead(data)
        case .closing(let lateFrames):
            phase = .closing(lateFrames: lateFrames + 1)
            // The client's half of the closing handshake; the rest is too late to matter.
            if unwrapInboundIn(data).opcode == .connectionClose { context.close(promise: nil) }
        }
    }

    func read(context: ChannelHandlerContext) {
        if case .closing(let lateFrames) = phase, lateFrames > Self.lateFramesMaximum { return }
        context.read()
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        let isClose = unwrapOutboundIn(data).opcode == .connectionClose
        switch phase {
        case .open:
            let taken = promise ?? context.eventLoop.makePromise()
            watch(taken.futureResult, context)
            context.write(data, promise: taken)
            if isClose { startClosing(context) }
        case .closing:
            // RFC 6455 sect. 5.5.1: nothing follows a close frame.
            promise?.succeed(())
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let code = Self.closeCode(for: error) else {
            context.fireErrorCaught(error)
            context.close(promise: nil)
            return
        }
        // Each frame after a violation may be one too.
        if case .closing(let lateFrames) = phase {
            phase = .closing(lateFrames: lateFrames + 1)
            return
        }
        sendClose(code, context)
        // Ends the input for the session, while the client still gets to read the close frame.
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is IdleStateHandler.IdleStateEvent: becameSilent(context)
        case is ChannelShouldQuiesceEvent: sendClose(.goingAway, context)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func becameSilent(_ context: ChannelHandlerContext) {
        guard case .open(let intervals) = phase else { return }
        guard intervals + 1 < Self.silentIntervalsMaximum else {
            context.close(promise: nil)
            return
        }
        phase = .open(silentIntervals: intervals + 1)
        let ping = WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())
        context.writeAndFlush(wrapOutboundOut(ping), promise: nil)
    }

    private func watch(_ taken: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
        unread.append(context.eventLoop.now)
        // Frames are taken in the order in which they were written.
        taken.assumeIsolated().whenComplete { _ in self.unread.removeFirst() }
        guard !isWatchingUnread else { return }
        isWatchingUnread = true
        lookAtUnread(after: Self.unreadTimeout, context.channel)
    }

    /// One timer for all frames, which looks at the oldest when it is due.
    private func lookAtUnread(after delay: TimeAmount, _ channel: any Channel) {
        let loop = channel.eventLoop
        loop.assumeIsolated().scheduleTask(in: delay) {
            guard let oldest = self.unread.first else {
                self.isWatchingUnread = false
                return
            }
            let left = oldest + Self.unreadTimeout - loop.now
            guard left > .zero else {
                channel.close(promise: nil)
                return
            }
            self.lookAtUnread(after: left, channel)
        }
    }

    private func sendClose(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        guard case .open = phase else { return }
        var data = context.channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        startClosing(context)
    }

    private func startClosing(_ context: ChannelHandlerContext) {
        phase = .closing(lateFrames: 0)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.closeTimeout) { channel.close(promise: nil) }
    }

    /// Nil for errors of the connection, which cannot be answered.
    private static func closeCode(for error: any Error) -> WebSocketErrorCode? {
        switch error {
        case NIOWebSocketError.invalidFrameLength: .messageTooLarge
        case is NIOWebSocketError, is Violation: .protocolError
        case NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            .messageTooLarge
        case is NIOWebSocketFrameAggregator.Error: .protocolError
        default: nil
        }
    }
}
