import ClientConnections
import NIOCore
import NIOWebSocket

/// A WebSocket. RFC 7395.
final class StreamOfMessages: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let link: ClientLink
    private let attempt: Int

    init(_ link: ClientLink, _ attempt: Int) { (self.link, self.attempt) = (link, attempt) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: link.received(message: String(buffer: frame.unmaskedData), attempt)
        case .ping:
            context.writeAndFlush(wrapOutboundOut(WebSocketFrame(answering: frame)), promise: nil)
        case .connectionClose:
            context.writeAndFlush(wrapOutboundOut(WebSocketFrame(closing: 1000)), promise: nil)
            link.failed(ChannelError.eof, attempt)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        link.failed(error, attempt)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        link.failed(ChannelError.eof, attempt)
    }
}
