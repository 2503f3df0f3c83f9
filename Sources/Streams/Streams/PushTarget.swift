import MediaKernel

/// Where a live stream is pushed to: an RTMP, RTMPS or SRT address with its secrets.
///
/// ```
/// rtmp[s]://[user:password@]host[:port]/application/key[?query]
/// srt://host:port[?streamid=…&passphrase=…&latency=milliseconds&mode=caller]
/// ```
/// Its description is the form for people, without secrets.
public struct PushTarget: Hashable, Sendable, CustomStringConvertible {
    public enum Scheme: String, Hashable, Sendable, CaseIterable {
        case rtmp, rtmps, srt

        /// SRT has none.
        var standardPort: UInt16? {
            switch self {
            case .rtmp: 1935
            case .rtmps: 443
            case .srt: nil
            }
        }
    }

    /// How the server is told which stream this is.
    public enum Access: Hashable, Sendable {
        /// - Parameters:
        ///   - user: `user:password`, as in the URL; nil without.
        ///   - key: with its query.
        case rtmp(application: String, key: String, user: String?)
        case srt(SRTOptions)
    }

    public struct SRTOptions: Hashable, Sendable {
        public var streamID: String?
        public var passphrase: String?
        /// In milliseconds; nil for the library's own.
        public var latency: Int?
    }

    /// The whole address, with its secrets.
    public let text: String
    public let scheme: Scheme
    /// A name in small letters or an IPv4 address.
    public let host: String
    public let port: UInt16
    public let access: Access

    /// The most targets of one stream, as in 100ms.
    public static let targetsMaximum = 5
    public static let bytesMaximum = 2048
    /// libavformat's limit of an application, and of a key.
    static let applicationBytesMaximum = 512
    static let keyBytesMaximum = 500
    /// SRT's limits: `SRTO_STREAMID`, `SRTO_PASSPHRASE`.
    static let streamIDBytesMaximum = 512
    static let passphraseBytes = 10...79
    /// In milliseconds.
    static let latencies = 20...8000

    /// - Throws: the rule that the address breaks; never names a secret.
    public init(_ text: String) throws(PushTargetFault) {
        guard text.utf8.count <= Self.bytesMaximum else {
            throw PushTargetFault("has more than \(Self.bytesMaximum) bytes")
        }
        guard
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !#""<>\^`{|}"#.utf8.contains($0) })
        else { throw PushTargetFault("has a character that must be percent-encoded") }
        guard let mark = text.firstRange(of: "://"),
            let scheme = Scheme(rawValue: text[..<mark.lowerBound].lowercased())
        else { throw PushTargetFault("does not begin with rtmp://, rtmps:// or srt://") }
        let rest = text[mark.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        var (user, authority) = (String?.none, rest[..<end])
        if let sign = authority.lastIndex(of: "@") {
            user = String(authority[..<sign])
            authority = authority[authority.index(after: sign)...]
        }
        (host, port) = try Self.place(authority, scheme)
        self.text = text
        self.scheme = scheme
        if scheme == .srt {
            guard user == nil else { throw PushTargetFault("has a user, which SRT does not") }
            access = .srt(try Self.options(rest[end...]))
        } else {
            access = try Self.access(rest[end...], user: user)
        }
    }

    private static func place(
        _ authority: Substring, _ scheme: Scheme
    ) throws(PushTargetFault) -> (host: String, port: UInt16) {
        let parts = authority.lowercased().split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, WebAddress.isHost(host) else {
            throw PushTargetFault("has no host name or IPv4 address")
        }
        // Some resolvers take `2130706433`, `0x7f000001` and `127.1` for addresses.
        let last = host.split(separator: ".").last?.utf8.first ?? 0
        guard !(0x30...0x39).contains(last) || TransportAddress(String(host), port: 0) != nil else {
            throw PushTargetFault("has a host that is neither a name nor an IPv4 address")
        }
        guard parts.count == 2 else {
            guard let port = scheme.standardPort else { throw PushTargetFault("has no port") }
            return (String(host), port)
        }
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(parts[1]), port > 0
        else { throw PushTargetFault("has a port that is not 1 to 65535") }
        return (String(host), port)
    }

    /// The key is what follows the last slash of the path.
    private static func access(
        _ target: Substring, user: String?
    ) throws(PushTargetFault) -> Access {
        let mark = target.firstIndex { "?#".contains($0) } ?? target.endIndex
        guard !target[mark...].contains("#") else {
            throw PushTargetFault("has a fragment (#…)")
        }
        let path = target[..<mark]
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex,
            !path.hasPrefix("//"), !path.hasSuffix("/")
        else {
            throw PushTargetFault("lacks the application or the stream key: /application/key")
        }
        let application = path[path.index(after: path.startIndex)..<slash]
        let key = target[target.index(after: slash)...]
        guard application.utf8.count <= applicationBytesMaximum,
            key.utf8.count <= keyBytesMaximum
        else {
            throw PushTargetFault(
                "has an application of more than \(applicationBytesMaximum) bytes or a key of "
                    + "more than \(keyBytesMaximum)")
        }
        return .rtmp(application: String(application), key: String(key), user: user)
    }

    private static func options(_ target: Substring) throws(PushTargetFault) -> SRTOptions {
        var options = SRTOptions()
        guard let mark = target.firstIndex(of: "?") else {
            guard target.isEmpty || target == "/" else { throw PushTargetFault("has a path") }
            return options
        }
        guard target[..<mark].allSatisfy({ $0 == "/" }) else { throw PushTargetFault("has a path") }
        var names: Set<Substring> = []
        for field in target[target.index(after: mark)...].split(separator: "&") {
            let parts = field.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard names.insert(parts[0]).inserted else {
                throw PushTargetFault("has an option twice")
            }
            guard parts.count == 2, let value = percentDecoded(parts[1]) else {
                throw PushTargetFault("has an option without a valid value")
            }
            try options.set(parts[0], to: value)
        }
        return options
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                value >= 0x20
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The address without user, key and query.
    public var shown: String {
        let port = port == scheme.standardPort ? "" : ":\(port)"
        let base = "\(scheme.rawValue)://\(host)\(port)"
        if case .rtmp(let application, _, _) = access { return "\(base)/\(application)" }
        return base
    }

    public var description: String { shown }
}

extension PushTarget.SRTOptions {
    fileprivate mutating func set(
        _ name: Substring, to value: String
    ) throws(PushTargetFault) {
        switch name {
        case "mode":
            guard value == "caller" else {
                throw PushTargetFault("has another mode than caller")
            }
        case "streamid":
            guard (1...PushTarget.streamIDBytesMaximum).contains(value.utf8.count) else {
                throw PushTargetFault(
                    "has a streamid of more than \(PushTarget.streamIDBytesMaximum) bytes, or none")
            }
            streamID = value
        case "passphrase":
            let range = PushTarget.passphraseBytes
            guard range.contains(value.utf8.count) else {
                throw PushTargetFault(
                    "has a passphrase that is not \(range.lowerBound) to \(range.upperBound) bytes")
            }
            passphrase = value
        case "latency":
            let range = PushTarget.latencies
            guard let number = Int(value), range.contains(number) else {
                throw PushTargetFault(
                    "has a latency that is not \(range.lowerBound) to \(range.upperBound) ms")
            }
            latency = number
        default:
            throw PushTargetFault(
                "has an option besides streamid, passphrase, latency and mode")
        }
    }
}

/// The rule that an address breaks: follows "the address".
public struct PushTargetFault: Error, Hashable, Sendable, CustomStringConvertible {
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}

/// The whole address, for a bot.
extension PushTarget: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the address \(error)")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
