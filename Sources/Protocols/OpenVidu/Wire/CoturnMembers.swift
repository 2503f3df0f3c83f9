internal import MediaKernel

/// The members of `joinRoom`'s result that name one TURN server. Clients up to 2.20, and ports of
/// theirs, read nothing else.
enum CoturnMembers {
    /// - Parameter servers: as in `customIceServers`.
    /// - Returns: those of the first `turn:` address; none without one.
    static func of(_ servers: [JSONValue]) -> [String: JSONValue] {
        for case .object(let server) in servers {
            guard case .string(let url)? = server["url"], let (host, port) = parts(of: url) else {
                continue
            }
            return [
                "coturnIp": .string(host), "coturnPort": .integer(port),
                "turnUsername": server["username"] ?? "",
                "turnCredential": server["credential"] ?? "",
            ]
        }
        return [:]
    }

    /// The host, in brackets if it is an IPv6 address, and the port of `turn:host:port?transport=udp`.
    private static func parts(of url: String) -> (host: String, port: Int64)? {
        guard url.hasPrefix("turn:") else { return nil }
        let authority = url.dropFirst(5).prefix { $0 != "?" }
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else {
            return authority.isEmpty ? nil : (host: String(authority), port: 3478)
        }
        let host = authority[..<colon]
        guard !host.isEmpty, let port = UInt16(authority[authority.index(after: colon)...]) else {
            return nil
        }
        return (host: String(host), port: Int64(port))
    }
}
