import HTTPTypes
public import Hummingbird
import NIOCore

/// The way from HTTP to the focus of Jitsi's clients. `Service` implements it.
public protocol JitsiGateway: Sendable {
    /// A client asks for a conference.
    ///
    /// - Returns: Jicofo's status and body: JSON for 200, otherwise words.
    func requestConference(_ body: String) async -> (status: Int, body: String)
}

/// `POST /conference-request/v1`: Jitsi's clients ask for a conference before they log in to the
/// XMPP server, if they are configured so. Pages of other sites may ask, as they may by XMPP.
public struct JitsiEndpoint: SignallingEndpoint {
    private static let path: RouterPath = "/conference-request/v1"

    private let gateway: any JitsiGateway
    private let gate: GuessGate

    public init(gateway: any JitsiGateway) {
        self.init(
            gateway: gateway,
            gate: GuessGate(
                rate: Limits.conferenceRequestsPerSecond, burst: Limits.conferenceRequestsBurst))
    }

    init(gateway: any JitsiGateway, gate: GuessGate) {
        self.gateway = gateway
        self.gate = gate
    }

    public func add(to router: Router<CallerContext>, with entry: EndpointEntry) {
        router.post(Self.path) { request, context in
            var response: Response
            do throws(APIError) {
                response = try await answer(
                    request,
                    from: GuessGate.caller(of: request.headers, from: context.remoteAddress))
            } catch {
                response = error.answer
            }
            response.headers.append(contentsOf: CrossOrigin.headers)
            return response
        }
        router.on(Self.path, method: .options) { _, _ in CrossOrigin.preflight("POST") }
    }

    private func answer(
        _ request: Request, from caller: GuessGate.Caller
    ) async throws(APIError) -> Response {
        guard gate.pass(caller) else {
            throw .tooManyRequests("too many conference requests from this address")
        }
        let body = try await RequestText.read(request, maximum: Limits.conferenceRequestBytes)
        let (status, answer) = await gateway.requestConference(body)
        return Response(
            status: .init(code: status),
            headers: [
                .contentType: status == 200 ? "application/json" : "text/plain; charset=utf-8",
                .cacheControl: "no-store",
            ], body: .init(byteBuffer: ByteBuffer(string: answer)))
    }
}
