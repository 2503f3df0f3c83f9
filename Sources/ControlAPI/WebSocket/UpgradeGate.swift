import NIOCore
import NIOHTTP1

/// What was decided about a request for a WebSocket: the session to run, or nil.
typealias WebSocketSession = @Sendable (WebSocketConnection, WebSocketMessages) async -> Void
typealias WebSocketDecision = @Sendable (HTTPRequestHead) async -> WebSocketSession?

/// Decides about the first request of a connection before NIO's typed upgrade handler sees it.
///
/// NIO 2.101's `NIOTypedHTTPServerUpgradeHandler` loses the head and the end of a request whose
/// upgrade is refused or is for another protocol (`Upgrade: h2c`, which `curl --http2` sends): the
/// client waits for ever. So only requests that will be accepted pass with their `Upgrade` header;
/// from all others it is taken away, and the router answers them like any request, with 401 or
/// 426 where that is due.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Parts that may arrive while the decision is made. A request that asks for an upgrade has
    /// no body to speak of.
    static let heldPartsMaximum = 64

    private enum Phase {
        case waitingForHead
        case deciding(held: [HTTPServerRequestPart])
        case decided
    }

    private let decide: WebSocketDecision
    private let phase: NIOLoopBoundBox<Phase>
    private let accepted: NIOLoopBoundBox<WebSocketSession?>

    init(decide: @escaping WebSocketDecision, eventLoop: any EventLoop) {
        self.decide = decide
        phase = NIOLoopBoundBox(.waitingForHead, eventLoop: eventLoop)
        accepted = NIOLoopBoundBox(nil, eventLoop: eventLoop)
    }

    /// The session of the accepted request. To be asked on the event loop.
    var session: WebSocketSession? { accepted.value }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch phase.value {
        case .decided:
            context.fireChannelRead(data)
        case .deciding(let held):
            guard held.count < Self.heldPartsMaximum else {
                context.close(promise: nil)
                return
            }
            phase.value = .deciding(held: held + [part])
        case .waitingForHead:
            guard case .head(let head) = part, head.headers.contains(name: "upgrade") else {
                pass([part], context)
                return
            }
            guard Self.isHandshake(head) else {
                pass([.head(Self.stripped(head))], context)
                return
            }
            phase.value = .deciding(held: [])
            let boundContext = NIOLoopBound(context, eventLoop: context.eventLoop)
            let decision = decide
            context.eventLoop.makeFutureWithTask { await decision(head) }
                .whenSuccess { self.decided($0, head: head, context: boundContext.value) }
        }
    }

    private func decided(
        _ session: WebSocketSession?, head: HTTPRequestHead, context: ChannelHandlerContext
    ) {
        guard case .deciding(let held) = phase.value, context.channel.isActive else { return }
        accepted.value = session
        pass([.head(session == nil ? Self.stripped(head) : head)] + held, context)
    }

    private func pass(_ parts: [HTTPServerRequestPart], _ context: ChannelHandlerContext) {
        phase.value = .decided
        for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// RFC 6455 sect. 4.2.1: everything that NIO's upgrader would fail on.
    static func isHandshake(_ head: HTTPRequestHead) -> Bool {
        let keys = head.headers[canonicalForm: "sec-websocket-key"]
        let versions = head.headers[canonicalForm: "sec-websocket-version"]
        return head.method == .GET && head.version == .http1_1
            && tokens(head, "upgrade").contains("websocket")
            && tokens(head, "connection").contains("upgrade")
            && versions.count == 1 && versions.first == "13"
            && keys.count == 1 && keys.first?.utf8.count == 24
    }

    /// The same request without its wish for an upgrade, and the last one of its connection:
    /// NIO's parser stops for good behind a request that had one.
    static func stripped(_ head: HTTPRequestHead) -> HTTPRequestHead {
        var head = head
        head.headers.remove(name: "upgrade")
        head.headers.replaceOrAdd(name: "connection", value: "close")
        return head
    }

    private static func tokens(_ head: HTTPRequestHead, _ name: String) -> [String] {
        head.headers[canonicalForm: name].map { $0.lowercased() }
    }
}
