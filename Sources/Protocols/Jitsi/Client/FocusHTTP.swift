internal import AsyncHTTPClient
internal import MediaClient
internal import MediaKernel
internal import NIOCore
internal import NIOHTTP1

/// Conference requests by HTTP: jicofo's `/conference-request/v1`.
enum FocusHTTP {
    /// The operator has named the address, so that it may be anywhere.
    static func ask(_ request: ConferenceRequest, _ address: JitsiAddress) async -> ConferenceReply
    {
        guard let url = address.requests?.text else {
            return .malformed(.missing("an address for conference requests"))
        }
        let exchange = HTTPExchange(trust: address.trust)
        var message = HTTPClientRequest(url: url)
        message.method = .POST
        message.headers.add(name: "User-Agent", value: "roomcast")
        message.headers.add(name: "Content-Type", value: "application/json")
        message.body = .bytes(ByteBuffer(string: request.json))
        let reply: ConferenceReply
        do {
            let (head, body) = try await exchange.answer(
                to: message, bytesMaximum: JitsiLimits.answerBytes)
            reply = ConferenceReply(status: Int(head.status.code), body: body)
        } catch is NIOTooManyBytesError {
            reply = .malformed(
                .tooMany("bytes of the conference's answer", maximum: JitsiLimits.answerBytes))
        } catch {
            reply = .refused(.away("the focus does not answer: \(NetworkFault.words(error))"))
        }
        await exchange.close()
        return reply
    }
}
