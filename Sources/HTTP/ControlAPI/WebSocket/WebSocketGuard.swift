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
/// right code, pings a silent client and drops a dead one, and says goodbye at a shutdown.
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
    /// How long the client may take to answer the server's close frame.
    static let closeTimeout: TimeAmount = .seconds(3)

    private enum Phase {
        case open(silentIntervals: Int)
        /// The server has sent a close frame; later frames are not delivered.
        case closing
    }

    private var phase: Phase = .open(silentIntervals: 0)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .open:
            phase = .open(silentIntervals: 0)
            context.fireChannelRead(data)
        case .closing:
            // The client's half of the closing handshake; the rest is too late to matter.
            if unwrapInboundIn(data).opcode == .connectionClose { context.close(promise: nil) }
        }
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        let isClose = unwrapOutboundIn(data).opcode == .connectionClose
        switch phase {
        case .open:
            context.write(data, promise: promise)
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

    private func sendClose(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        guard case .open = phase else { return }
        var data = context.channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        startClosing(context)
    }

    private func startClosing(_ context: ChannelHandlerContext) {
        phase = .closing
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
