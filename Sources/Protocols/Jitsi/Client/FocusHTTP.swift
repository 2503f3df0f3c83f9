internal import AsyncHTTPClient
internal import ClientConnections
internal import MediaClient
internal import MediaKernel
internal import NIOCore
internal import NIOHTTP1

/// Conference requests by HTTP: jicofo's `/conference-request/v1`.
enum FocusHTTP {
    /// Until the end of an answer.
    private static let timeout: Duration = .seconds(15)

    /// The operator has named the address, so that it may be anywhere.
    static func ask(_ request: ConferenceRequest, _ address: JitsiAddress) async -> ConferenceReply
    {
        guard let url = address.requests?.text else {
            return .malformed(.missing("an address for conference requests"))
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: TLSClient.configuration(address.trust),
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5)))
        configuration.decompression = .disabled
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: configuration)
        var message = HTTPClientRequest(url: url)
        message.method = .POST
        message.headers.add(name: "User-Agent", value: "roomcast")
        message.headers.add(name: "Content-Type", value: "application/json")
        message.body = .bytes(ByteBuffer(string: request.json))
        let reply: ConferenceReply
        do {
            reply = try await Self.reply(to: message, by: client)
        } catch is NIOTooManyBytesError {
            reply = .malformed(
                .tooMany("bytes of the conference's answer", maximum: JitsiLimits.answerBytes))
        } catch {
            reply = .refused(.away("the focus does not answer: \(NetworkFault.words(error))"))
        }
        try? await client.shutdown()
        return reply
    }

    /// The client's own timeout ends with the head of the answer, whose body may never end.
    private static func reply(
        to message: HTTPClientRequest, by client: HTTPClient
    ) async throws -> ConferenceReply {
        try await withThrowingTaskGroup(of: ConferenceReply.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                let response = try await client.execute(message, timeout: TimeAmount(timeout))
                let body = try await response.body.collect(upTo: JitsiLimits.answerBytes)
                return ConferenceReply(
                    status: Int(response.status.code), body: String(buffer: body))
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                return .refused(.away("the focus does not answer"))
            }
            return try await group.next() ?? .refused(.away("the focus does not answer"))
        }
    }
}
