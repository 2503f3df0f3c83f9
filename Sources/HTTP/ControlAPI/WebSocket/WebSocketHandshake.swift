import Digests
import HTTPTypes
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request to turn its connection into a WebSocket. RFC 6455 sect. 4.2.
enum WebSocketHandshake {
    /// Whether a request is a well-formed handshake. It must not have a body, whose bytes could not
    /// be told from frames, nor a tab between the words, which NIO's parser does not accept there,
    /// so that it would parse the following bytes as HTTP.
    static func isComplete(_ head: HTTPRequestHead) -> Bool {
        let keys = head.headers[canonicalForm: "sec-websocket-key"]
        let versions = head.headers[canonicalForm: "sec-websocket-version"]
        return head.method == .GET && head.version == .http1_1
            && words(head, "upgrade").contains("websocket")
            && words(head, "connection").contains("upgrade")
            && head.headers["connection"].allSatisfy { !$0.utf8.contains(UInt8(ascii: "\t")) }
            && versions.count == 1 && versions.first == "13"
            && keys.count == 1 && keys.first?.utf8.count == 24
            && !head.headers.contains(name: "transfer-encoding")
            && head.headers["content-length"].allSatisfy { $0 == "0" }
    }

    /// The key of a complete handshake; nil for any other request, since `HTTPConnectionGuard`
    /// removes the upgrade from malformed ones.
    static func key(of request: HTTPRequest) -> String? {
        guard request.headerFields.contains(.upgrade) else { return nil }
        return request.headerFields[.secWebSocketKey]
    }

    /// The answer that accepts the handshake. RFC 6455 sect. 4.2.2.
    static func answer(to key: String) -> HTTPResponseHead {
        let digest = Digest.sha1.hash(Array((key + guid).utf8))
        return HTTPResponseHead(
            version: .http1_1, status: .switchingProtocols,
            headers: [
                "upgrade": "websocket", "connection": "upgrade",
                "sec-websocket-accept": Data(digest).base64EncodedString(),
            ])
    }

    private static let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private static func words(_ head: HTTPRequestHead, _ name: String) -> [String] {
        head.headers[canonicalForm: name].map { $0.lowercased() }
    }
}
