import Foundation

/// A parsed `ws:` or `wss:` URL, with the protocol's query added. RFC 6455 sect. 3.
public struct WebSocketURL: Hashable, Sendable {
    public let host: String
    public let port: Int
    public let isSecure: Bool
    /// Path and query, as in the request line.
    public let target: String

    /// Nil if the text is not a WebSocket URL. An existing query is kept.
    public init?(_ text: String, adding query: [(String, String)]) {
        guard var parts = URLComponents(string: text), let host = parts.host, !host.isEmpty else {
            return nil
        }
        switch parts.scheme?.lowercased() {
        case "ws": isSecure = false
        case "wss": isSecure = true
        default: return nil
        }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? (isSecure ? 443 : 80)
        parts.queryItems =
            (parts.queryItems ?? []) + query.map { URLQueryItem(name: $0.0, value: $0.1) }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        // URLComponents does not encode "+", which servers decode as a space.
        let encoded = parts.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        target = path + (encoded.map { $0.isEmpty ? "" : "?\($0)" } ?? "")
    }

    /// For the Host header.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}
