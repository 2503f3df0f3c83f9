import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// A connection of the server: HTTP/1.1, of which the first request may become a WebSocket.
struct WebSocketChannel: ServerChildChannel, HTTPChannelHandler {
    enum Negotiated: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        case webSocket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, WebSocketSession)
    }

    struct Value: ServerChildChannelValue {
        let negotiation: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    /// A connection on which nothing has been asked for so long is closed.
    static let idleTimeout: Duration = .seconds(75)

    /// From the connection to the end of the first request's head.
    static let openingTimeout: TimeAmount = .seconds(75)

    let responder: HTTPChannelHandler.Responder
    let outbox: OutboxLimits
    let decide: WebSocketDecision

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let gate = UpgradeGate(decide: decide, eventLoop: channel.eventLoop)
            var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Negotiated>(
                upgradeConfiguration: .init(
                    upgraders: [Self.upgrader(gate)],
                    notUpgradingCompletionHandler: { Self.makeHTTP($0, logger: logger) }))
            configuration.enablePipelining = false
            configuration.enableErrorHandling = true
            // HTTPTypes has validated them by then.
            configuration.enableResponseHeaderValidation = false
            configuration.decoderConfiguration.maxHeaderFieldSize = Limits.headerFieldBytes
            configuration.decoderConfiguration.maxHeaderListSize = Limits.headerListBytes
            configuration.decoderConfiguration.maxHeaderFieldCount = Limits.headerFieldCount
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(OpeningGuard(Self.openingTimeout), name: Self.opening)
            let negotiation = try pipeline.configureUpgradableHTTPServerPipeline(
                configuration: configuration)
            let upgrade = try pipeline.handler(
                type: NIOTypedHTTPServerUpgradeHandler<Negotiated>.self)
            try pipeline.addHandler(gate, position: .before(upgrade))
            return Value(negotiation: negotiation, channel: channel)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiation.get() {
            case .http(let channel):
                await handleHTTP(asyncChannel: channel, logger: logger)
            case .webSocket(let channel, let session):
                try await Self.run(session, on: channel, outbox: outbox)
            }
        } catch {
            logger.trace("connection ended", metadata: ["error": "\(error)"])
            value.channel.close(promise: nil)
        }
    }

    private static let opening = "roomcast.opening"

    private static func upgrader(
        _ gate: UpgradeGate
    ) -> NIOTypedWebSocketServerUpgrader<Negotiated> {
        NIOTypedWebSocketServerUpgrader(
            maxFrameSize: Limits.messageBytes,
            // Ours answers with a code and lets the client read it before the connection ends.
            enableAutomaticErrorHandling: false,
            shouldUpgrade: { channel, _ in
                channel.eventLoop.makeSucceededFuture(gate.session == nil ? nil : HTTPHeaders())
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try makeWebSocket(channel, gate) }
            })
    }

    private static func makeHTTP(
        _ channel: any Channel, logger: Logger
    ) -> EventLoopFuture<Negotiated> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            channel.pipeline.removeHandler(name: opening, promise: nil)
            try pipeline.addHandler(HTTPConnectionGuard())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: idleTimeout, logger: logger))
            return .http(
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)))
        }
    }

    private static func makeWebSocket(
        _ channel: any Channel, _ gate: UpgradeGate
    ) throws -> Negotiated {
        guard let session = gate.session else { throw ChannelError.inappropriateOperationForState }
        let pipeline = channel.pipeline.syncOperations
        channel.pipeline.removeHandler(name: opening, promise: nil)
        try pipeline.addHandler(IdleStateHandler(readTimeout: WebSocketGuard.pingAfter))
        try pipeline.addHandler(WebSocketFrameCheck())
        try pipeline.addHandler(
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0,
                maxAccumulatedFrameCount: Limits.messageFragments,
                maxAccumulatedFrameSize: Limits.messageBytes))
        try pipeline.addHandler(WebSocketGuard())
        let wrapped = try NIOAsyncChannel<WebSocketFrame, WebSocketFrame>(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true))
        return .webSocket(wrapped, session)
    }

    private static func run(
        _ session: @escaping WebSocketSession,
        on channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, outbox: OutboxLimits
    ) async throws {
        let raw = channel.channel
        try await channel.executeThenClose { inbound, outbound in
            let connection = WebSocketConnection(limits: outbox) { delay in
                raw.eventLoop.scheduleTask(in: TimeAmount(delay)) { raw.close(promise: nil) }
            }
            raw.closeFuture.whenComplete { _ in connection.disconnected() }
            let messages = WebSocketMessages(inbound: inbound, connection: connection)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await write(connection, to: outbound) }
                await session(connection, messages)
                connection.close()
                await group.waitForAll()
            }
            // The close frame is out; the guard's timer ends the wait for a client that is slow
            // to answer. Closing earlier could make TCP take the frame back.
            outbound.finish()
            try? await raw.closeFuture.get()
        }
    }

    private static func write(
        _ connection: WebSocketConnection,
        to outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    ) async {
        for await item in connection.outgoing {
            do {
                switch item {
                case .text(let text):
                    try await outbound.write(
                        WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
                    connection.written(byteCount: text.utf8.count)
                case .pong(let data):
                    try await outbound.write(
                        WebSocketFrame(fin: true, opcode: .pong, data: data))
                    connection.written(byteCount: data.readableBytes)
                case .close(let code, let reason):
                    try await outbound.write(closeFrame(code, reason))
                }
            } catch {
                connection.disconnected()
                return
            }
        }
    }

    /// Control frames hold at most 125 bytes, two of them the code. RFC 6455 sect. 5.5.
    private static func closeFrame(_ code: UInt16, _ reason: String) -> WebSocketFrame {
        var data = ByteBuffer()
        data.writeInteger(code)
        var text = reason
        while text.utf8.count > 123 { text.removeLast() }
        data.writeString(text)
        return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
    }
}

/// Closes a connection that has not become one of HTTP or a WebSocket after a while: its client
/// says nothing, or never finishes its first head, however its bytes trickle in.
final class OpeningGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let timeout: TimeAmount
    private var deadline: Scheduled<Void>?

    init(_ timeout: TimeAmount) { self.timeout = timeout }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        context.close(promise: nil)
    }
}
