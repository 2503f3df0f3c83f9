/// An IPv4 or IPv6 address with a port and a transport protocol, as written in ICE candidates: RFC
/// 8445 sect. 4. UDP by default.
public struct TransportAddress: Hashable, Sendable, CustomStringConvertible {
    public enum Transport: String, Hashable, Sendable {
        case udp
        /// One connection, whose stream carries datagrams (RFC 4571).
        case tcp
    }

    // No array: each packet's address is compared and handed on several times.
    /// The first eight bytes of the address; an IPv4 one has four.
    private let high: UInt64
    private let low: UInt64
    public let port: UInt16
    public let transport: Transport
    public let isIPv6: Bool

    /// An IPv4 address in an IPv6 socket's form (`::ffff:192.0.2.1`, RFC 4291 sect. 2.5.5.2)
    /// becomes the IPv4 address.
    ///
    /// - Parameter ip: four or sixteen bytes in network order; nil for any other number of them.
    public init?(ip: [UInt8], port: UInt16, transport: Transport = .udp) {
        guard ip.count == 4 || ip.count == 16 else { return nil }
        let isMapped =
            ip.count == 16 && ip[..<10].allSatisfy { $0 == 0 } && ip[10] == 0xFF && ip[11] == 0xFF
        self.init(bytes: isMapped ? ip[12...] : ip[...], port: port, transport: transport)
    }

    /// - Parameter bytes: four or sixteen of them.
    private init(bytes: ArraySlice<UInt8>, port: UInt16, transport: Transport) {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - bytes.count))
        }
        high = number(bytes.prefix(8))
        low = number(bytes.dropFirst(8))
        self.port = port
        self.transport = transport
        isIPv6 = bytes.count == 16
    }

    public init(ipv4 a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, port: UInt16) {
        self.init(bytes: [a, b, c, d], port: port, transport: .udp)
    }

    /// Parses a literal address; host names give nil.
    public init?(_ host: String, port: UInt16, transport: Transport = .udp) {
        guard let ip = Self.parseIPv4(host) ?? Self.parseIPv6(host) else { return nil }
        self.init(ip: ip, port: port, transport: transport)
    }

    /// The same address and port with another transport.
    public func over(_ transport: Transport) -> TransportAddress {
        TransportAddress(ip: ip, port: port, transport: transport) ?? self
    }

    /// Four bytes for IPv4, sixteen for IPv6, in network order.
    public var ip: [UInt8] { withIP { Array($0) } }

    /// The same without making an array.
    public func withIP<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
            body(UnsafeRawBufferPointer(rebasing: bytes[..<(isIPv6 ? 16 : 4)]))
        }
    }

    /// `0.0.0.0` or `::`, which stand for all of a machine's addresses.
    public var isWildcard: Bool { high == 0 && low == 0 }
    /// The usual extent of a provider's customer: the address in IPv4, its first 64 bits in IPv6
    /// (RFC 6177).
    public var network: [UInt8] { isIPv6 ? Array(ip.prefix(8)) : ip }
    public var isLoopback: Bool { isIPv6 ? high == 0 && low == 1 : high >> 56 == 127 }

    /// The address without the port, in its canonical text form (RFC 5952 for IPv6).
    public var host: String {
        guard isIPv6 else { return ip.map { String($0) }.joined(separator: ".") }
        return Self.renderIPv6(ip)
    }

    public var description: String {
        let address = isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
        return transport == .udp ? address : "\(address)/\(transport.rawValue)"
    }

    private static func parseIPv4(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.utf8.count),
                part.utf8.allSatisfy({ (48...57).contains($0) }),
                let value = UInt8(part)
            else { return nil }
            bytes.append(value)
        }
        return bytes
    }

    private static func parseIPv6(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 45, text.contains(":") else { return nil }
        let text = text.split(separator: "%", maxSplits: 1).first.map(String.init) ?? text
        let halves = splitOnDoubleColon(text)
        guard halves.count <= 2 else { return nil }
        func groups(_ half: String) -> [UInt8]? {
            guard !half.isEmpty else { return [] }
            var bytes: [UInt8] = []
            let parts = half.split(separator: ":", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                if index == parts.count - 1, let tail = parseIPv4(String(part)) {
                    bytes += tail
                } else {
                    guard (1...4).contains(part.utf8.count), let value = UInt16(part, radix: 16),
                        !part.hasPrefix("+"), !part.hasPrefix("-")
                    else { return nil }
                    bytes += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
                }
            }
            return bytes
        }
        guard let head = groups(halves[0]) else { return nil }
        guard halves.count == 2 else { return head.count == 16 ? head : nil }
        guard let tail = groups(halves[1]), head.count + tail.count <= 14 else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func splitOnDoubleColon(_ text: String) -> [String] {
        var halves = [""]
        var rest = text[...]
        while !rest.isEmpty {
            if rest.hasPrefix("::") {
                halves.append("")
                rest = rest.dropFirst(2)
            } else {
                halves[halves.count - 1].append(rest.removeFirst())
            }
        }
        return halves
    }

    /// RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups elided.
    private static func renderIPv6(_ ip: [UInt8]) -> String {
        let groups = (0..<8).map { UInt16(ip[$0 * 2]) << 8 | UInt16(ip[$0 * 2 + 1]) }
        var best = 0..<0
        var index = 0
        while index < 8 {
            var end = index
            while end < 8, groups[end] == 0 { end += 1 }
            if end - index > max(1, best.count) { best = index..<end }
            index = max(end, index + 1)
        }
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !best.isEmpty else { return text(0..<8) }
        return text(0..<best.lowerBound) + "::" + text(best.upperBound..<8)
    }
}
