internal import ClientConnections
internal import MediaClient
internal import MediaKernel
internal import NIOCore

/// The bridge's channel as a WebSocket, from its opening to its end.
final class BridgeSocket: Sendable {
    /// Messages that wait for it. Newer ones say what older ones said.
    private static let waitingMaximum = 256

    private let outbox: AsyncStream<String>.Continuation
    private let task: Task<Void, Never>

    /// - Parameter admit: the address to connect to, of those of its host; nil for none.
    init(
        _ address: String, of session: Int, tls: TLSClient?, on group: any EventLoopGroup,
        telling facts: CallFacts,
        admitting admit: @escaping @Sendable ([TransportAddress]) async -> TransportAddress?
    ) {
        let (texts, outbox) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(Self.waitingMaximum))
        self.outbox = outbox
        task = Task {
            // A server of strangers names it. The address that was checked is connected to.
            if let url = WebSocketURL(address, adding: []),
                let place = await admit(ReachFilter.addresses(of: url.host))
            {
                // Why it ends does not matter: it is opened again as long as its session lasts.
                try? await WebSocketClient.run(
                    url: url, at: place, bytesMaximum: JitsiLimits.bridgeBytes, tls: tls,
                    group: group
                ) { writer in
                    facts.tell(.channelOpened(session))
                    for await text in texts { try await writer.send(text) }
                    try await writer.close()
                } received: { text in
                    facts.tell(.heard(session, text))
                }
            }
            if !Task.isCancelled { facts.tell(.channelClosed(session)) }
        }
    }

    func send(_ text: String) { outbox.yield(text) }

    func close() {
        outbox.finish()
        task.cancel()
    }
}
