import HTTPTypes
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A connection that is not served: it gets the reason after its first bytes, and is closed. Comes
/// before all other handlers, which see nothing of it.
///
/// The request is read first, since a connection that is closed with unread bytes loses its answer.
final class RefusedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How long the client may take to send something.
    static let patience: TimeAmount = .seconds(1)

    private let isTold: Bool
    private var isOver = false

    /// - Parameter isTold: whether the client gets the reason.
    init(isTold: Bool) { self.isTold = isTold }

    func channelActive(context: ChannelHandlerContext) {
        guard isTold else { return context.close(promise: nil) }
        let channel = context.channel
        let deadline = context.eventLoop.scheduleTask(in: Self.patience) {
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in deadline.cancel() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        isOver = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer)), promise: nil)
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as ChannelEvent where event == .inputClosed: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    static let answer: String = {
        let error = APIError.unavailable("too many connections of this address")
        let body = String(decoding: (try? JSON.data(error.body)) ?? Data(), as: UTF8.self)
        return "HTTP/1.1 \(error.status.code) \(error.status.reasonPhrase)\r\n"
            + "content-type: application/json; charset=utf-8\r\nconnection: close\r\n"
            + "content-length: \(body.utf8.count)\r\n\r\n\(body)"
    }()
}
