import MediaKernel

/// A browser's request to a proxy. RFC 9112 sect. 3.2.2 and 3.2.3.
struct ProxyRequest: Hashable, Sendable {
    /// Why a request is refused, with the status of the answer.
    struct Refusal: Error, Hashable, Sendable {
        var status: Int
        var words: String
    }

    enum Kind: Hashable, Sendable {
        /// The two ends may say what they want.
        case tunnel
        /// One request of plain HTTP.
        ///
        /// - Parameters:
        ///   - head: as the origin gets it.
        ///   - bodyBytes: that follow the head.
        case single(head: String, bodyBytes: Int)
    }

    static let headBytesMaximum = 64 << 10

    var target: AddressGuard.Target
    var kind: Kind

    /// The end of the head in what has come so far; nil while it is not complete.
    ///
    /// - Parameter known: how many of the bytes were looked at before.
    static func headEnd(in bytes: [UInt8], after known: Int = 0) -> Int? {
        let start = max(0, known - 3)
        guard bytes.count - start >= 4 else { return nil }
        for index in start...bytes.count - 4
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13
            && bytes[index + 3] == 10
        {
            return index + 4
        }
        return nil
    }

    /// - Parameter head: with the empty line that ends it.
    init(head bytes: some Collection<UInt8>) throws(Refusal) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.malformed }
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)[...]
        let line = (lines.popFirst() ?? "").split(
            separator: " ", omittingEmptySubsequences: false)
        guard line.count == 3, line[2].hasPrefix("HTTP/1."), !line[0].isEmpty,
            line[0].utf8.allSatisfy({ (0x41...0x5a).contains($0) })
        else { throw Self.malformed }
        if line[0] == "CONNECT" {
            guard let target = Self.target(line[1], port: nil) else { throw Self.malformed }
            (self.target, kind) = (target, .tunnel)
            return
        }
        guard let url = HTTPURL(String(line[1])), !url.isSecure,
            let target = Self.target(url.authority[...], port: 80)
        else { throw Self.malformed }
        var fields = ""
        var length: Int?
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { throw Self.malformed }
            let name = line[..<colon].lowercased()
            if name == "transfer-encoding" {
                throw Refusal(status: 501, words: "no transfer codings")
            }
            if name == "content-length" {
                let text = line[line.index(after: colon)...].drop { $0 == " " }
                // RFC 9112 sect. 6.3: two lengths have two readings.
                guard length == nil, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                    let number = Int(text)
                else { throw Self.malformed }
                length = number
            }
            if !Self.hopFields.contains(name) { fields += "\(line)\r\n" }
        }
        self.target = target
        let path = url.target.isEmpty || url.target.hasPrefix("?") ? "/\(url.target)" : url.target
        kind = .single(
            head: "\(line[0]) \(path) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n",
            bodyBytes: length ?? 0)
    }

    /// RFC 9110 sect. 7.6.1.
    private static let hopFields: Set<String> = [
        "connection", "proxy-connection", "keep-alive", "proxy-authorization", "te", "trailer",
        "upgrade",
    ]

    private static let malformed = Refusal(status: 400, words: "not a request to a proxy")

    /// - Parameter port: without one in the text; nil if there must be one.
    private static func target(
        _ authority: Substring, port: UInt16?
    ) -> AddressGuard.Target? {
        var (host, number) = (authority, port)
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            guard let given = UInt16(authority[authority.index(after: colon)...]), given > 0 else {
                return nil
            }
            (host, number) = (authority[..<colon], given)
        }
        guard let number else { return nil }
        if host.first == "[", host.last == "]" {
            let literal = String(host.dropFirst().dropLast())
            guard let address = TransportAddress(literal, port: number), address.isIPv6 else {
                return nil
            }
            return AddressGuard.Target(host: address.host, port: number)
        }
        guard let address = WebAddress("http://\(host):\(number)/") else { return nil }
        return AddressGuard.Target(host: address.host, port: number)
    }
}
