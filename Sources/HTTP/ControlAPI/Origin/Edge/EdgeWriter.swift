import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Sends the answers of an `EdgeHandler` as the bytes that they are, past the handlers that make
/// bytes of an answer's parts. The handlers above it learn of such an answer by its end, which
/// stops here.
final class EdgeWriter: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// What it passes is sent as it is.
    private var encoder: ChannelHandlerContext?
    /// Of answers that were sent as bytes, and are still to come.
    private var ends = 0

    func handlerAdded(context: ChannelHandlerContext) {
        encoder = try? context.pipeline.syncOperations.context(
            handlerType: HTTPResponseEncoder.self)
    }

    func handlerRemoved(context: ChannelHandlerContext) { encoder = nil }

    /// Writes an answer, whose end has to follow, without flushing it.
    ///
    /// - Parameters:
    ///   - body: nil for an answer without one.
    ///   - promise: of the last byte.
    func write(head: ByteBuffer, body: ByteBuffer?, promise: EventLoopPromise<Void>) {
        guard let encoder else { return promise.fail(ChannelError.alreadyClosed) }
        ends += 1
        guard let body else {
            return encoder.write(NIOAny(IOData.byteBuffer(head)), promise: promise)
        }
        encoder.write(NIOAny(IOData.byteBuffer(head)), promise: nil)
        encoder.write(NIOAny(IOData.byteBuffer(body)), promise: promise)
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        guard ends > 0, case .end = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        ends -= 1
        promise?.succeed()
    }
}
