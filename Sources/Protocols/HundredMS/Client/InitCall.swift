import AsyncHTTPClient
import Foundation
import MediaClient
import MediaKernel
import NIOCore
import NIOHTTP1
import RemoteRoom

/// `GET /init`: returns the address of the room's WebSocket (docs/PROTOCOL.md sect. 2).
enum InitCall {
    static let timeout: TimeAmount = .seconds(10)
    static let bodyBytesMaximum = 1 << 20

    private struct Reply: Decodable { let endpoint: String }
    private struct Refusal: Decodable {
        let code: Int
        let message: String
    }

    /// The WebSocket endpoint. Throws `.refused` with the server's message, or `.unreachable`.
    static func run(
        endpoint: String, token: String, peer: PeerID, timeout: TimeAmount = timeout
    ) async throws(RoomEnd) -> String {
        guard var parts = URLComponents(string: endpoint), parts.host?.isEmpty == false,
            ["http", "https"].contains(parts.scheme?.lowercased())
        else { throw .badEndpoint(endpoint) }
        parts.path = "/init"
        parts.queryItems = [URLQueryItem(name: "peer_id", value: peer.rawValue)]
        // URLComponents does not encode "+", which servers decode as a space.
        parts.percentEncodedQuery = parts.percentEncodedQuery?
            .replacingOccurrences(of: "+", with: "%2B")
        parts.fragment = nil
        guard let url = parts.string else { throw .badEndpoint(endpoint) }
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let status: UInt
        let body: ByteBuffer
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: timeout)
            status = response.status.code
            body = try await response.body.collect(upTo: bodyBytesMaximum)
        } catch {
            throw .unreachable("\(endpoint): \(NetworkFault.words(error))")
        }
        let data = Data(body.readableBytesView)
        guard status == 200 else {
            let refusal = try? JSONDocument.decode(Refusal.self, from: data)
            if RoomEnd.mayPass(status: status) { throw .unreachable("status \(status)") }
            throw .refused(
                code: refusal?.code ?? Int(status), message: refusal?.message ?? "no reason given")
        }
        guard let reply = try? JSONDocument.decode(Reply.self, from: data) else {
            throw .protocolViolation("the init reply names no endpoint")
        }
        return reply.endpoint
    }
}
