public import MediaKernel

/// An address at which a side may be reachable. RFC 8445 sect. 5.1.
public struct ICECandidate: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        case host
        case serverReflexive = "srflx"
        case peerReflexive = "prflx"
        case relay

        /// RFC 8445 sect. 5.1.2.2.
        var typePreference: UInt32 {
            switch self {
            case .host: return 126
            case .peerReflexive: return 110
            case .serverReflexive: return 100
            case .relay: return 0
            }
        }
    }

    /// A `name value` pair at the end: `generation 0`, `ufrag AbCd`, `tcptype active`.
    public struct Extension: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Equal for candidates of one kind, base address and server. RFC 8445 sect. 5.1.1.3.
    public var foundation: String
    /// 1…256; 1 with RTP and RTCP on one port.
    public var component: Int
    public var priority: UInt32
    public var address: TransportAddress
    public var kind: Kind
    /// The base of a reflexive or the mapped address of a relayed candidate, if stated.
    public var relatedAddress: TransportAddress?
    public var extensions: [Extension]

    public init(
        foundation: String, component: Int = 1, priority: UInt32,
        address: TransportAddress, kind: Kind, relatedAddress: TransportAddress? = nil,
        extensions: [Extension] = []
    ) {
        self.foundation = foundation
        self.component = component
        self.priority = priority
        self.address = address
        self.kind = kind
        self.relatedAddress = relatedAddress
        self.extensions = extensions
    }

    /// A host candidate for a socket; over TCP a passive one (RFC 6544 sect. 3). Loopback ranks
    /// below every other address, because only this machine can use it; `preference` orders the
    /// rest, higher first.
    public static func host(
        _ address: TransportAddress, preference: UInt16 = .max
    ) -> ICECandidate {
        let preference = address.isLoopback ? min(preference, 0x0FFF) : preference
        let purpose = Array("host \(address.transport) ".utf8)
        var candidate = ICECandidate(
            foundation: String(CRC32.checksum(purpose + address.ip)),
            priority: priority(kind: .host, localPreference: preference),
            address: address, kind: .host)
        if address.transport == .tcp {
            candidate.priority = passiveTCPPriority(preference)
            candidate.extensions = [Extension("tcptype", "passive")]
        }
        return candidate
    }

    /// Below every UDP address, since UDP does not delay data behind lost packets, and above
    /// relays: the type preference is that of browsers. RFC 6544 sect. 4.2 has 3 bits for the
    /// direction, 4 for passive, and leaves 13 to us.
    private static func passiveTCPPriority(_ preference: UInt16) -> UInt32 {
        90 << 24 | (4 << 13 | UInt32(preference >> 3)) << 8 | 255
    }

    /// RFC 8445 sect. 5.1.2.1.
    public static func priority(
        kind: Kind, localPreference: UInt16, component: Int = 1
    ) -> UInt32 {
        kind.typePreference << 24 | UInt32(localPreference) << 8
            | UInt32(clamping: 256 - min(max(component, 1), 256)) & 0xFF
    }

    // MARK: Text

    /// Parses `candidate:…` of RFC 8839 sect. 5.1; a leading `a=` is allowed.
    ///
    /// - Throws: `unresolvableHost` if the address is a name, `malformedCandidate` otherwise.
    public init(parsing text: String) throws(ICEError) {
        guard text.utf8.count <= ICELimits.candidateBytesMaximum else {
            throw .malformedCandidate(reason: "longer than any candidate")
        }
        var rest = text[...]
        if rest.hasPrefix("a=") { rest = rest.dropFirst(2) }
        guard rest.hasPrefix("candidate:") else {
            throw .malformedCandidate(reason: "does not begin with candidate:")
        }
        let words = rest.dropFirst("candidate:".count).split(separator: " ")
        guard words.count >= 8, words[6] == "typ" else {
            throw .malformedCandidate(reason: "fewer than eight fields")
        }
        foundation = String(words[0])
        guard let component = Self.decimal(words[1], in: 1...256) else {
            throw .malformedCandidate(reason: "component is not in 1…256")
        }
        self.component = component
        guard let transport = TransportAddress.Transport(rawValue: words[2].lowercased()) else {
            throw .malformedCandidate(reason: "neither udp nor tcp")
        }
        guard let priority = Self.decimal(words[3], in: 0...Int(UInt32.max)) else {
            throw .malformedCandidate(reason: "priority is no 32-bit number")
        }
        self.priority = UInt32(priority)
        guard let port = Self.decimal(words[5], in: 0...65_535) else {
            throw .malformedCandidate(reason: "no port")
        }
        guard let kind = Kind(rawValue: String(words[7])) else {
            throw .malformedCandidate(reason: "no such candidate type")
        }
        self.kind = kind
        guard
            let address = TransportAddress(
                String(words[4]), port: UInt16(port), transport: transport)
        else {
            throw .unresolvableHost(String(words[4]))
        }
        self.address = address
        extensions = []
        try parseTail(words[8...])
    }

    /// `name value` pairs; `raddr` and `rport` go together.
    private mutating func parseTail(_ words: ArraySlice<Substring>) throws(ICEError) {
        var relatedHost: String?
        var index = words.startIndex
        while index < words.endIndex {
            guard index + 1 < words.endIndex else {
                throw .malformedCandidate(reason: "\(words[index]) has no value")
            }
            let (name, value) = (String(words[index]), String(words[index + 1]))
            switch name {
            case "raddr": relatedHost = value
            case "rport":
                guard let port = Self.decimal(words[index + 1], in: 0...65_535) else {
                    throw .malformedCandidate(reason: "rport is no port")
                }
                // Browsers hide it as 0.0.0.0 or a name; then it is unknown.
                relatedAddress = relatedHost.flatMap {
                    TransportAddress($0, port: UInt16(port), transport: address.transport)
                }
            default: extensions.append(Extension(name, value))
            }
            index += 2
        }
    }

    private static func decimal(_ text: Substring, in range: ClosedRange<Int>) -> Int? {
        guard text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int(text), range.contains(value)
        else { return nil }
        return value
    }

    /// The text without `a=`, in the form of `RTCIceCandidate.candidate`.
    public func rendered() -> String {
        var words = [
            "candidate:\(foundation)", "\(component)", address.transport.rawValue, "\(priority)",
            address.host, "\(address.port)", "typ", kind.rawValue,
        ]
        if let relatedAddress {
            words += ["raddr", relatedAddress.host, "rport", "\(relatedAddress.port)"]
        }
        words += extensions.flatMap { [$0.name, $0.value] }
        return words.joined(separator: " ")
    }

    /// The username fragment of a trickled candidate's generation, if stated. RFC 8838 sect. 11.
    public var usernameFragment: String? { extensions.first { $0.name == "ufrag" }?.value }
}
