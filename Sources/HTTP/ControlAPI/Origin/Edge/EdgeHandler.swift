import HTTPTypes
import MediaKernel
import NIOCore
import NIOHTTPTypes

/// Answers requests for what is in memory on the connection's own event loop: without a task, a
/// change of threads or a copy, also when the answer has to wait. Everything else goes on to the
/// routes, which know the same answers.
///
/// It is the last of HTTP's handlers. Answers keep the order of their requests: a request is
/// answered here only when the routes owe none, and while one waits here, those after it are held.
final class EdgeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A request that is answered here.
    private struct Turn {
        let head: HTTPRequest
        let found: Origin.Found
        /// Its end has been read.
        var waits = false
        /// Its number in the stream's list.
        var wait: Int?
    }

    /// For a request that waits in the routes.
    let end = ConnectionEnd()
    private let origin: Origin
    private let hosts: OwnHosts
    private let writer: EdgeWriter
    private var habits = EdgeHabits()
    private var turn: Turn?
    /// Of turns, so that a late answer meets only its own.
    private var number = 0
    /// Whether the routes have got anything since they last heard that a reading is complete, which
    /// is when they begin with it.
    private var hasPassed = false
    /// Requests that the routes have not answered yet.
    private var elsewhere = 0
    /// Whether the connection's last request has come. RFC 9112 sect. 9.6: none behind it is
    /// answered.
    private var isOver = false
    /// Answers of which the system does not have all bytes yet. With the connection they would be
    /// lost.
    private var unsent = 0
    /// Whether an answer's end waits for a viewer who reads slowly: before it, the connection is
    /// not idle.
    private var owesEnd = false
    /// What the routes were told. They need not hear of what is answered here.
    private var isToldWritable = true
    /// What came after a request that waits. The connection is not read while there is any.
    private var held = CircularBuffer<HTTPRequestPart>()
    private var isReadHeld = false
    private var heldEvent: ChannelEvent?
    private var heldError: (any Error)?
    private var heldClose: [EventLoopPromise<Void>?] = []

    /// - Parameter writer: sends its answers; of the same connection.
    init(origin: Origin, hosts: OwnHosts, writer: EdgeWriter) {
        self.origin = origin
        self.hosts = hosts
        self.writer = writer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isHolding(context) { held.append(part) } else { take(part, context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard hasPassed else { return }
        hasPassed = false
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        // A closed connection shows itself only in reading.
        if held.isEmpty { context.read() } else { isReadHeld = true }
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        guard case .end = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        // Bytes that are no request are answered as well.
        elsewhere = max(0, elsewhere - 1)
        context.write(data, promise: counted(promise, nil, context))
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // Once the viewer has closed its side, NIO would drop what it has not sent.
        if mode == .output, unsent > 0 {
            heldClose.append(promise)
        } else {
            context.close(mode: mode, promise: promise)
        }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        drain(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, owesEnd {
            owesEnd = false
            context.write(wrapOutboundOut(.end(nil)), promise: nil)
        }
        if elsewhere > 0 || !isToldWritable { tellWritability(context) }
        drain(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The routes close a connection that will ask nothing more.
        if let event = event as? ChannelEvent, event == .inputClosed,
            turn != nil || !held.isEmpty || unsent > 0
        {
            heldEvent = event
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if turn?.waits == true || !held.isEmpty || owesEnd {
            heldError = error
            return
        }
        fail(with: error, context)
    }

    private func fail(with error: any Error, _ context: ChannelHandlerContext) {
        // Of a request whose end does not come.
        if let turn { pass(turn.head, context) }
        turn = nil
        context.fireErrorCaught(error)
    }

    /// The connection has ended, or become a socket. (`channelInactive` does not come here:
    /// Hummingbird's handler keeps it.)
    func handlerRemoved(context: ChannelHandlerContext) {
        if let turn, let wait = turn.wait, case .edge(let place, _) = turn.found.source {
            place.edge.leave(wait)
        }
        end.over()
        number += 1
        turn = nil
        held = CircularBuffer()
        (heldError, heldEvent) = (nil, nil)
        (isReadHeld, owesEnd) = (false, false)
        for promise in heldClose { promise?.fail(ChannelError.alreadyClosed) }
        heldClose = []
    }

    // MARK: Requests

    private func isHolding(_ context: ChannelHandlerContext) -> Bool {
        turn?.waits == true || !held.isEmpty
            // A viewer who reads nothing gets nothing more.
            || turn == nil && elsewhere == 0 && !context.channel.isWritable
    }

    private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            turn = elsewhere == 0 && !isOver ? claim(head) : nil
            isOver = isOver || head.isLast
            if let turn {
                origin.census.answered(
                    head, for: turn.found.path, from: context.channel.remoteAddress)
            } else {
                pass(head, context)
            }
            return
        case .body: if turn != nil { return }
        case .end: if turn != nil { return answer(context) }
        }
        hasPassed = true
        context.fireChannelRead(wrapInboundOut(part))
    }

    /// Leaves a request to the routes.
    private func pass(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        elsewhere += 1
        hasPassed = true
        tellWritability(context)
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private func tellWritability(_ context: ChannelHandlerContext) {
        guard isToldWritable != context.channel.isWritable else { return }
        isToldWritable.toggle()
        context.fireChannelWritabilityChanged()
    }

    private func drain(_ context: ChannelHandlerContext) {
        let count = held.count
        while let part = held.first, turn?.waits != true,
            elsewhere > 0 || turn != nil || context.channel.isWritable
        {
            held.removeFirst()
            take(part, context)
        }
        // The routes begin with what they have got when the reading is complete.
        if held.count < count { context.fireChannelReadComplete() }
        settle(context)
    }

    /// Passes on what came behind what was held, once that is answered. Of the last request the end
    /// may not have come.
    private func settle(_ context: ChannelHandlerContext) {
        guard held.isEmpty, turn?.waits != true, !owesEnd else { return }
        if let error = heldError {
            heldError = nil
            fail(with: error, context)
        }
        if turn == nil, unsent == 0, let event = heldEvent {
            heldEvent = nil
            context.fireUserInboundEventTriggered(event)
        }
        if isReadHeld {
            isReadHeld = false
            context.read()
        }
    }

    /// The promise of an answer's last bytes, which counts it until they are sent.
    private func counted(
        _ promise: EventLoopPromise<Void>?, _ hold: MemoryHold?, _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void> {
        unsent += 1
        let sent = promise ?? context.eventLoop.makePromise()
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            withExtendedLifetime(hold) { unsent -= 1 }
            guard unsent == 0 else { return }
            settle(context)
            let promises = heldClose
            heldClose = []
            for promise in promises { context.close(mode: .output, promise: promise) }
        }
        return sent
    }

    /// Nil for a request that the routes answer.
    private func claim(_ head: HTTPRequest) -> Turn? {
        // The last request of a connection has other rules.
        guard head.method == .get || head.method == .head, !head.isLast,
            habits.include(head, in: hosts), let found = origin.found(head, &habits)
        else { return nil }
        return Turn(head: head, found: found)
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard let turn else { return }
        switch turn.found.source {
        case .recent(let content):
            self.turn = nil
            guard
                let response = try? Origin.response(
                    with: content, turn.head, turn.found.caching)
            else { return leaveToRoutes(turn, context) }
            send(response, to: turn.head, context)
        case .edge(let place, let wish): ask(place, wish, context)
        }
    }

    private func ask(
        _ place: LiveEdges.Place, _ wish: StreamEdge.Wish, _ context: ChannelHandlerContext
    ) {
        turn?.waits = true
        number += 1
        let (loop, number) = (context.eventLoop, number)
        let outcome = place.edge.ask(
            wish, of: place.layer,
            receiver: { [bound = NIOLoopBound((self, context), eventLoop: loop)] answer in
                loop.execute {
                    let (handler, context) = bound.value
                    guard handler.number == number else { return }
                    handler.finish(with: answer, to: wish, context)
                    handler.drain(context)
                }
            })
        switch outcome {
        case .answer(let answer): finish(with: answer, to: wish, context)
        case .waits(let wait): turn?.wait = wait
        }
    }

    private func finish(
        with answer: StreamEdge.Answer, to wish: StreamEdge.Wish, _ context: ChannelHandlerContext
    ) {
        guard let turn else { return }
        self.turn = nil
        do throws(APIError) {
            var response = try Origin.response(
                with: answer, to: wish, turn.head, turn.found.caching)
            if response == nil, let content = origin.kept(turn.found) {
                response = try Origin.response(with: content, turn.head, turn.found.caching)
            }
            if let response { return send(response, to: turn.head, context) }
        } catch {
            // The routes would wait for this once more.
            if case .late = answer { return send(EdgeResponse(error), to: turn.head, context) }
        }
        leaveToRoutes(turn, context)
    }

    /// Its end has been read, and was not passed on.
    private func leaveToRoutes(_ turn: Turn, _ context: ChannelHandlerContext) {
        pass(turn.head, context)
        context.fireChannelRead(wrapInboundOut(.end(nil)))
        context.fireChannelReadComplete()
    }

    private func send(
        _ response: EdgeResponse, to head: HTTPRequest, _ context: ChannelHandlerContext
    ) {
        let hasBody = head.method != .head && response.body.readableBytes > 0
        writer.write(
            head: response.head.dated(origin.date()), body: hasBody ? response.body : nil,
            promise: counted(nil, response.hold, context))
        // Before the flush, in which the next request may be answered.
        owesEnd = !context.channel.isWritable
        if !owesEnd { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
        context.flush()
    }
}

extension HTTPRequest {
    /// Whether its connection closes behind its answer.
    fileprivate var isLast: Bool {
        headerFields.contains { $0.name == .connection && $0.value == "close" }
    }
}
