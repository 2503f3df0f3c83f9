import NIOCore
import NIOWebSocket

/// The end of a socket's pipeline: passes the frames as a sequence to the task that reads them.
/// Reading slowly slows the client down through TCP.
final class WebSocketInbox: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame
    typealias Frames = NIOAsyncSequenceProducer<
        WebSocketFrame, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Reader
    >

    /// The sequence's signals to the pipeline, from any thread.
    struct Reader: NIOAsyncSequenceProducerDelegate {
        /// There is room for frames again, or the reader has ended.
        let readOn: @Sendable () -> Void

        func produceMore() { readOn() }
        func didTerminate() { readOn() }
    }

    private var source: Frames.Source?
    private var context: ChannelHandlerContext?
    private var isFull = false
    private var isReadHeldBack = false

    /// - Returns: the frames, of which a few are buffered. Can be read once.
    func frames(on eventLoop: any EventLoop) -> Frames {
        let inbox = NIOLoopBound(self, eventLoop: eventLoop)
        let new = Frames.makeSequence(
            elementType: WebSocketFrame.self,
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 10),
            finishOnDeinit: false,
            delegate: Reader { eventLoop.execute { inbox.value.readOn() } })
        source = new.source
        return new.sequence
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish()
        self.context = nil
    }

    /// Frames end here: the remaining HTTP handlers do not understand them.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let source else { return }
        if case .stopProducing = source.yield(contentsOf: CollectionOfOne(unwrapInboundIn(data))) {
            isFull = true
        }
    }

    func read(context: ChannelHandlerContext) {
        guard isFull else { return context.read() }
        isReadHeldBack = true
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { finish() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish()
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    private func readOn() {
        isFull = false
        guard isReadHeldBack else { return }
        isReadHeldBack = false
        context?.read()
    }

    private func finish() {
        source?.finish()
        source = nil
    }
}
