public import ClientConnections
import Clocks
import MediaKernel
public import NIOCore
public import XML
public import XMPP

/// A client of an XMPP server, on one event loop.
///
/// `run` is one connection. For the next one, call it again after a ``Backoff``: the stream is then
/// resumed if the server still has it. Several clients may share a loop and a `TLSClient`.
///
/// `events` must be read by one task, and all the time: while it is not, nothing is read from the
/// server once ``eventsMaximum`` wait.
public final class XMPPClient: Sendable {
    public typealias Events = NIOAsyncSequenceProducer<
        ClientEvent, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, EventFlow
    >

    /// Of events that wait for the program. Those of bytes already read come on top.
    public static let eventsMaximum = 64
    /// For the answer to a request.
    public static let answerTimeout = Duration.seconds(15)

    public let events: Events
    private let loop: any EventLoop
    private let link: NIOLoopBoundBox<ClientLink>

    public init(
        _ settings: ClientSettings, at endpoint: Endpoint, tls: TLSClient,
        on loop: any EventLoop
    ) {
        self.loop = loop
        let link = NIOLoopBoundBox.makeBoxSendingValue(
            ClientLink(settings, endpoint, tls, loop), eventLoop: loop)
        self.link = link
        let flow = EventFlow(loop)
        let made = NIOAsyncSequenceProducer.makeSequence(
            elementType: ClientEvent.self,
            backPressureStrategy: NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark(
                lowWatermark: Self.eventsMaximum / 4, highWatermark: Self.eventsMaximum),
            finishOnDeinit: true, delegate: flow)
        events = made.sequence
        loop.execute {
            link.value.source = made.source
            flow.follow(link.value)
        }
    }

    // MARK: Life

    /// One connection, until it ends. Ends it, without a farewell, if the task is cancelled.
    public func run() async -> ConnectionEnd {
        await withTaskCancellationHandler {
            let end = try? await loop.flatSubmit { [link] in link.value.run() }.get()
            return end ?? .left
        } onCancel: {
            loop.execute { [link] in link.value.cancel() }
        }
    }

    /// Ends the stream in order; `run` then returns.
    public func leave() {
        loop.execute { [link] in link.value.leave() }
    }

    // MARK: Stanzas

    public func send(_ stanza: XMLElement) async throws(RequestFailure) {
        try await wish { (session, _) throws(RequestFailure) in try session.send(stanza) }
    }

    /// Asks, and waits for the answer: the child of the result, which need not have one.
    ///
    /// - Parameter to: nil for our own account at the server.
    public func ask(
        _ kind: Request.Kind, _ payload: XMLElement, to: JID?,
        within timeout: Duration = answerTimeout
    ) async throws(RequestFailure) -> XMLElement? {
        try await question(kind, payload, to: to, within: timeout).answer()
    }

    /// As `ask`, but what is asked stands before whatever is sent from now on.
    public func question(
        _ kind: Request.Kind, _ payload: XMLElement, to: JID?,
        within timeout: Duration = answerTimeout
    ) -> Question {
        let answer = loop.makePromise(of: Result<XMLElement?, RequestFailure>.self)
        loop.execute { [link] in link.value.ask(kind, payload, to: to, within: timeout, answer) }
        return Question(outcome: answer.futureResult)
    }

    /// One whose answer may be waited for.
    public struct Question: Sendable {
        fileprivate let outcome: EventLoopFuture<Result<XMLElement?, RequestFailure>>

        /// The child of the result, which need not have one.
        public func answer() async throws(RequestFailure) -> XMLElement? {
            guard let outcome = try? await outcome.get() else { throw .offline }
            return try outcome.get()
        }
    }

    // MARK: Rooms

    /// Asks for entry; `RoomEvent.entered`, or why not, follows. See
    /// ``ClientSession/enter(_:nick:password:_:at:)``.
    public func enter(
        _ room: JID, nick: String, password: String? = nil, showing shown: [XMLElement] = []
    ) async throws(RequestFailure) {
        try await wish { (session, now) throws(RequestFailure) in
            try session.enter(room, nick: nick, password: password, shown, at: now)
        }
    }

    /// Shows something else in a room.
    public func show(_ shown: [XMLElement], in room: JID) async throws(RequestFailure) {
        try await wish { (session, _) throws(RequestFailure) in
            try session.show(shown, in: room)
        }
    }

    /// Leaves a room; `RoomEvent.ended` follows.
    public func leave(_ room: JID, showing shown: [XMLElement] = []) async throws(RequestFailure) {
        try await wish { (session, now) throws(RequestFailure) in
            try session.leave(room, shown, at: now)
        }
    }

    private func wish(
        _ wish: @escaping @Sendable (inout ClientSession, Instant) throws(RequestFailure) -> Void
    ) async throws(RequestFailure) {
        let done = loop.submit { [link] in link.value.wish(wish) }
        guard let outcome = try? await done.get() else { throw .offline }
        try outcome.get()
    }
}
