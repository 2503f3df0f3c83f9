import NIOCore
import NIOTLS
import XMPP

/// A TCP connection, with TLS or without.
final class StreamOfBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let link: ClientLink
    private let attempt: Int
    private var isUsed = false

    init(_ link: ClientLink, _ attempt: Int) { (self.link, self.attempt) = (link, attempt) }

    func channelActive(context: ChannelHandlerContext) {
        isUsed = link.connected(context.channel, attempt, .tcp, isEncrypted: false)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        link.received(unwrapInboundIn(data).readableBytesView, attempt)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { link.secured(attempt) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isUsed { link.failed(error, attempt) }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isUsed { link.failed(ChannelError.eof, attempt) }
    }
}
