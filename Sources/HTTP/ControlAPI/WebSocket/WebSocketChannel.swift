import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// The decision about a request for a WebSocket: the session to run, or nil.
public typealias WebSocketSession = @Sendable (WebSocketConnection, WebSocketMessages) async -> Void
typealias WebSocketDecision =
    @Sendable (HTTPRequest, SocketAddress?) async -> WebSocketSession?

/// A connection of the server: HTTP/1.1, which any request may turn into a WebSocket, not only the
/// first, since proxies reuse connections for it.
///
/// A request for a socket waits its turn like any other, so all earlier ones have been answered by
/// then; bytes after it are not parsed as HTTP. When it is accepted, the socket's handlers replace
/// those of HTTP. `NIOTypedHTTPServerUpgradeHandler` could do that for a connection's first request
/// only.
struct WebSocketChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// The most bytes that may wait after a request for a socket until that is answered. Clients
    /// must not send any by then (RFC 6455 sect. 4.1).
    static let unparsedBytesMaximum = 64 * 1024

    let responder: HTTPChannelHandler.Responder
    private let limiter: ConnectionLimiter
    private let isTLS: Bool
    private let edge: @Sendable (EdgeWriter) -> EdgeHandler

    /// - Parameters:
    ///   - limiter: admits connections.
    ///   - isTLS: whether this is inside TLS, so that a refusal cannot be sent before the
    ///     handshake.
    ///   - edge: answers what is in memory, before the responder.
    ///   - responder: answers all other requests that do not become a socket.
    ///   - decide: decides about well-formed requests for a socket.
    init(
        responder: @escaping HTTPChannelHandler.Responder, limiter: ConnectionLimiter, isTLS: Bool,
        edge: @escaping @Sendable (EdgeWriter) -> EdgeHandler,
        decide: @escaping WebSocketDecision
    ) {
        self.limiter = limiter
        self.isTLS = isTLS
        self.edge = edge
        self.responder = { request, writer, channel in
            guard let key = WebSocketHandshake.key(of: request.head),
                let session = await decide(request.head, channel.remoteAddress)
            else {
                let request = AwaitedBody.asked(for: request, on: channel)
                return try await responder(request, writer, channel)
            }
            let frames = try await channel.eventLoop.submit {
                try Self.becomeWebSocket(channel, key: key)
            }.get()
            await Self.run(session, on: channel, frames: frames)
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let admission = limiter.admission(of: channel)
            if admission != .served {
                try pipeline.addHandler(
                    RefusedConnection(isTold: admission == .refused && !isTLS), position: .first)
            }
            try GuardedHTTP.add(
                to: pipeline, unparsedBytesMaximum: Self.unparsedBytesMaximum, patience: .init())
            let writer = EdgeWriter()
            try pipeline.addHandler(writer)
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: GuardedHTTP.idleTimeout, logger: logger))
            try pipeline.addHandler(edge(writer))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }

    /// Replaces the handlers of HTTP by those of a socket, and accepts the handshake. Call it on
    /// the event loop, when all earlier requests have been answered.
    ///
    /// - Throws: when the connection is gone.
    private static func becomeWebSocket(
        _ channel: any Channel, key: String
    ) throws -> WebSocketInbox.Frames {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.context(
            handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let answer = HTTPServerResponsePart.head(WebSocketHandshake.answer(to: key))
        decoder.writeAndFlush(NIOAny(answer), promise: nil)
        let http = [
            try pipeline.context(handlerType: HTTPResponseEncoder.self),
            try pipeline.context(handlerType: HTTPConnectionGuard.self),
            try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self),
            try pipeline.context(handlerType: EdgeWriter.self),
            try pipeline.context(handlerType: HTTPConnectionStateHandler.self),
            try pipeline.context(handlerType: EdgeHandler.self),
        ]
        for context in http { pipeline.removeHandler(context: context, promise: nil) }
        let inbox = WebSocketInbox()
        let frames = inbox.frames(on: channel.eventLoop)
        // NIO's own handlers for sockets answer violations without a code.
        let handlers: [any ChannelHandler] = [
            WebSocketFrameEncoder(),
            ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: Limits.messageBytes)),
            IdleStateHandler(readTimeout: WebSocketGuard.pingAfter),
            WebSocketFrameCheck(),
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0,
                maxAccumulatedFrameCount: Limits.messageFragments,
                maxAccumulatedFrameSize: Limits.messageBytes),
            WebSocketGuard(),
            inbox,
        ]
        try pipeline.addHandlers(handlers, position: .after(decoder.handler))
        // Last, since bytes that came after the request are frames, which this passes on.
        pipeline.removeHandler(context: decoder, promise: nil)
        return frames
    }

    private static func run(
        _ session: @escaping WebSocketSession, on channel: any Channel,
        frames: WebSocketInbox.Frames
    ) async {
        let connection = WebSocketConnection { delay in
            channel.eventLoop.scheduleTask(in: TimeAmount(delay)) { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { _ in connection.disconnected() }
        let messages = WebSocketMessages(inbound: frames, connection: connection)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await write(connection, to: channel) }
            await session(connection, messages)
            connection.close()
            await group.waitForAll()
        }
        // The close frame is out; the guard's timer ends the wait for a client that is slow
        // to answer. Closing earlier could make TCP take the frame back.
        channel.close(mode: .output, promise: nil)
        try? await channel.closeFuture.get()
    }

    private static func write(
        _ connection: WebSocketConnection, to channel: any Channel
    ) async {
        for await item in connection.outgoing {
            do {
                switch item {
                case .text(let text):
                    try await channel.writeAndFlush(
                        WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
                    connection.written()
                case .pong:
                    try await channel.writeAndFlush(
                        WebSocketFrame(fin: true, opcode: .pong, data: connection.takePong()))
                case .close(let code, let reason):
                    try await channel.writeAndFlush(closeFrame(code, reason))
                    return
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
