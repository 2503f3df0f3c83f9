import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// What was decided about a request for a WebSocket: the session to run, or nil.
public typealias WebSocketSession = @Sendable (WebSocketConnection, WebSocketMessages) async -> Void
typealias WebSocketDecision = @Sendable (HTTPRequest) async -> WebSocketSession?

/// A connection of the server: HTTP/1.1, of which any request may make it a WebSocket, also behind
/// others, since proxies take connections for it that they have.
///
/// A request for a socket waits its turn like any other, so what was asked before it is answered by
/// then; nothing is parsed as HTTP behind it. When it is accepted, the handlers of HTTP make way for
/// those of the socket. `NIOTypedHTTPServerUpgradeHandler` would do that for a connection's first
/// request only.
struct WebSocketChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// A connection on which nothing has been asked for so long is closed.
    static let idleTimeout: Duration = .seconds(75)

    /// What may wait behind a request for a socket until that is answered, in bytes. Clients have
    /// nothing to send by then (RFC 6455 sect. 4.1).
    static let unparsedBytesMaximum = 64 * 1024

    let responder: HTTPChannelHandler.Responder
    private let door: ConnectionDoor
    private let isTLS: Bool

    /// - Parameters:
    ///   - door: which connections are served.
    ///   - isTLS: whether this is inside TLS, so that nothing can be said before the handshake.
    ///   - responder: answers what is not accepted as a request for a socket.
    ///   - decide: is asked about requests for a socket that are in due form.
    init(
        responder: @escaping HTTPChannelHandler.Responder, door: ConnectionDoor, isTLS: Bool,
        decide: @escaping WebSocketDecision
    ) {
        self.door = door
        self.isTLS = isTLS
        self.responder = { request, writer, channel in
            guard let key = WebSocketHandshake.key(of: request.head),
                let session = await decide(request.head)
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
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = Limits.headerFieldBytes
            limits.maxHeaderListSize = Limits.headerListBytes
            limits.maxHeaderFieldCount = Limits.headerFieldCount
            let pipeline = channel.pipeline.syncOperations
            let admission = door.admission(of: channel)
            if admission != .served {
                try pipeline.addHandler(
                    RefusedConnection(isTold: admission == .refused && !isTLS), position: .first)
            }
            // Responses are not validated here: HTTPTypes has done that by then.
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(
                ByteToMessageHandler(
                    HTTPRequestDecoder(
                        leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits),
                    maximumBufferSize: Self.unparsedBytesMaximum))
            try pipeline.addHandler(HTTPConnectionGuard())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: Self.idleTimeout, logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }

    /// Puts the handlers of a socket in the place of those of HTTP, and says so to the client. To be
    /// called on the event loop, when all that was asked before is answered.
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
            try pipeline.context(handlerType: HTTPConnectionStateHandler.self),
        ]
        for context in http { pipeline.removeHandler(context: context, promise: nil) }
        let inbox = WebSocketInbox()
        let frames = inbox.frames(on: channel.eventLoop)
        // Those of NIO's that come with a socket answer violations without a code.
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
        // Last, since bytes that came behind the request are frames, and go on from there.
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
