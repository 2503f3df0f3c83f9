import AsyncHTTPClient
import Foundation
import MediaKernel
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

struct JanusError: Error, CustomStringConvertible {
    let message: String
    var description: String { "Janus: \(message)" }
}

/// A session of Janus' HTTP interface: requests by POST, events by long polls.
struct JanusSession: Sendable {
    private static let timeout: TimeAmount = .seconds(60)
    private static let bodyBytesMaximum = 8 << 20

    private let url: String
    private let http: HTTPClient

    static func create(endpoint: String, http: HTTPClient) async throws -> JanusSession {
        let answer = try await post(endpoint, ["janus": "create"], http)
        guard let id = answer["data"]?["id"]?.integer else {
            throw JanusError(message: "no session: \(answer)")
        }
        return JanusSession(url: "\(endpoint)/\(id)", http: http)
    }

    /// A handle of a plugin.
    func attach(_ plugin: String) async throws -> Int64 {
        let answer = try await Self.post(
            url, ["janus": "attach", "plugin": .string(plugin)], http)
        guard let id = answer["data"]?["id"]?.integer else {
            throw JanusError(message: "no handle: \(answer)")
        }
        return id
    }

    func send(
        _ body: JSONValue, to handle: Int64, description: (type: String, sdp: String)? = nil
    ) async throws {
        var message: [String: JSONValue] = ["janus": "message", "body": body]
        if let description {
            message["jsep"] = [
                "type": .string(description.type), "sdp": .string(description.sdp),
                // Our candidates are in the description.
                "trickle": false,
            ]
        }
        let answer = try await Self.post("\(url)/\(handle)", .object(message), http)
        guard answer["janus"]?.text == "ack" || answer["janus"]?.text == "success" else {
            throw JanusError(message: "\(answer)")
        }
    }

    /// Waits for events, at most half a minute.
    func events() async throws -> [JSONValue] {
        var request = HTTPClientRequest(url: "\(url)?maxev=20")
        request.method = .GET
        let answer = try await Self.run(request, http)
        return answer.list ?? [answer]
    }

    private static func post(_ url: String, _ body: JSONValue, _ http: HTTPClient) async throws
        -> JSONValue
    {
        guard case .object(var fields) = body else { return body }
        fields["transaction"] = .string(UUID().uuidString)
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.body = .bytes(ByteBuffer(data: try JSONEncoder().encode(JSONValue.object(fields))))
        return try await run(request, http)
    }

    private static func run(_ request: HTTPClientRequest, _ http: HTTPClient) async throws
        -> JSONValue
    {
        let response = try await http.execute(request, timeout: timeout)
        let body = try await response.body.collect(upTo: bodyBytesMaximum)
        return try JSONDocument.decode(JSONValue.self, from: Data(buffer: body))
    }
}
