internal import ClientConnections
internal import NIOCore

/// The bridge's channel as a WebSocket, from its opening to its end.
final class BridgeSocket: Sendable {
    /// Messages that wait for it. Newer ones say what older ones said.
    private static let waitingMaximum = 256

    private let outbox: AsyncStream<String>.Continuation
    private let task: Task<Void, Never>

    init(
        _ address: String, of session: Int, on group: any EventLoopGroup,
        telling facts: AsyncStream<CallFact>.Continuation
    ) {
        let (texts, outbox) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(Self.waitingMaximum))
        self.outbox = outbox
        task = Task {
            if let url = WebSocketURL(address, adding: []) {
                // Why it ends does not matter: it is opened again as long as its session lasts.
                try? await WebSocketClient.run(
                    url: url, bytesMaximum: JitsiLimits.bridgeBytes, group: group
                ) { writer in
                    facts.yield(.channelOpened(session))
                    for await text in texts { try await writer.send(text) }
                    try await writer.close()
                } received: { text in
                    facts.yield(.heard(session, text))
                }
            }
            if !Task.isCancelled { facts.yield(.channelClosed(session)) }
        }
    }

    func send(_ text: String) { outbox.yield(text) }

    func close() {
        outbox.finish()
        task.cancel()
    }
}
