internal import ICE
internal import MediaKernel
internal import SDP
internal import XML

/// The transport of a content: ICE (XEP-0176), DTLS (XEP-0320), SCTP (XEP-0343) and the bridge's
/// WebSockets. Jicofo writes the same one into each content, as all are bundled.
struct JingleTransport: Hashable {
    var usernameFragment: String?
    var password: String?
    var candidates: [ICECandidate] = []
    var fingerprints: [SDP.Fingerprint] = []
    var setup: DTLSSetup?
    /// The port of the bridge's SCTP association; nil where it has none.
    var sctpPort: UInt16?
    /// Where the bridge's channel is a WebSocket.
    var sockets: [String] = []
    /// The number of a restart of ICE in which the bridge keeps everything else; nil without one.
    var generation: Int?

    init() {}

    /// Candidates that no agent could use, such as those of unknown protocols, are passed over.
    init(_ element: XMLElement) throws(JitsiFault) {
        usernameFragment = try Self.secret(element, "ufrag")
        password = try Self.secret(element, "pwd")
        candidates = try element.children(
            "candidate", JitsiNamespaces.ice, maximum: JitsiLimits.candidates
        ).compactMap(Self.candidate)
        for child in try element.children(
            "fingerprint", JitsiNamespaces.dtls, maximum: JitsiLimits.fingerprints)
        {
            guard let fingerprint = Self.fingerprint(child) else {
                throw .malformed("<fingerprint>")
            }
            fingerprints.append(fingerprint)
            setup = setup ?? child["setup"].flatMap { DTLSSetup(rawValue: $0) }
        }
        sctpPort = try element.child("sctpmap", JitsiNamespaces.sctp)
            .map { map throws(JitsiFault) in try map.number("number", in: 1...UInt16.max) }
        for socket in try element.children(
            "web-socket", JitsiNamespaces.colibri, maximum: JitsiLimits.sockets)
        {
            sockets.append(try socket.text("url", maximum: 4096))
        }
        generation = try element.optionalNumber("ice-generation", in: 1...Int(Int32.max))
    }

    /// Whether a connection can be made with it.
    var isComplete: Bool {
        usernameFragment != nil && password != nil && !fingerprints.isEmpty
    }

    private static func secret(
        _ element: XMLElement, _ name: String
    ) throws(JitsiFault) -> String? {
        element[name] == nil ? nil : try element.text(name, maximum: 256)
    }

    private static func fingerprint(_ element: XMLElement) -> SDP.Fingerprint? {
        let value = String(element.text.filter { !$0.isWhitespace })
        let pairs = value.split(separator: ":", omittingEmptySubsequences: false)
        guard let hash = element["hash"], 1...32 ~= hash.utf8.count, 16...64 ~= pairs.count,
            pairs.allSatisfy({ Hexadecimal.bytes($0)?.count == 1 })
        else { return nil }
        return SDP.Fingerprint(algorithm: hash, value: value)
    }

    private static func candidate(_ element: XMLElement) -> ICECandidate? {
        guard let foundation = element["foundation"], foundation.utf8.count <= 32,
            let component = element["component"].flatMap({ Int($0) }), 1...256 ~= component,
            let priority = element["priority"].flatMap({ UInt32($0) }),
            let kind = element["type"].flatMap({ ICECandidate.Kind(rawValue: $0) }),
            let transport = (element["protocol"]?.lowercased())
                .flatMap({ TransportAddress.Transport(rawValue: $0) }),
            let port = element["port"].flatMap({ UInt16($0) }), let host = element["ip"],
            let address = TransportAddress(host, port: port, transport: transport)
        else { return nil }
        let relatedPort = element["rel-port"].flatMap { UInt16($0) } ?? 0
        return ICECandidate(
            foundation: foundation, component: component, priority: priority, address: address,
            kind: kind,
            relatedAddress: element["rel-addr"].flatMap {
                TransportAddress($0, port: relatedPort, transport: transport)
            },
            extensions: element["tcptype"].map { [ICECandidate.Extension("tcptype", $0)] } ?? [])
    }

    var element: XMLElement {
        var children = fingerprints.map { fingerprint in
            XMLElement(
                "fingerprint", JitsiNamespaces.dtls,
                ["hash": fingerprint.algorithm, "setup": setup?.rawValue],
                text: fingerprint.value)
        }
        for (index, candidate) in candidates.enumerated() {
            children.append(Self.element(candidate, number: index + 1))
        }
        for socket in sockets {
            children.append(XMLElement("web-socket", JitsiNamespaces.colibri, ["url": socket]))
        }
        if let sctpPort {
            children.append(
                XMLElement(
                    "sctpmap", JitsiNamespaces.sctp,
                    [
                        "number": "\(sctpPort)", "protocol": "webrtc-datachannel",
                        "streams": "1024",
                    ]))
        }
        return XMLElement(
            "transport", JitsiNamespaces.ice,
            [
                "ufrag": usernameFragment, "pwd": password,
                "ice-generation": generation.map { "\($0)" },
            ],
            [XMLElement("rtcp-mux", JitsiNamespaces.ice)] + children)
    }

    private static func element(_ candidate: ICECandidate, number: Int) -> XMLElement {
        XMLElement(
            "candidate", JitsiNamespaces.ice,
            [
                "component": "\(candidate.component)", "foundation": candidate.foundation,
                "generation": "0", "id": "c\(number)", "ip": candidate.address.host,
                "network": "0", "port": "\(candidate.address.port)",
                "priority": "\(candidate.priority)",
                "protocol": candidate.address.transport.rawValue, "type": candidate.kind.rawValue,
                "rel-addr": candidate.relatedAddress?.host,
                "rel-port": candidate.relatedAddress.map { "\($0.port)" },
                // Browsers take no candidate of TCP without it. RFC 6544 sect. 4.5.
                "tcptype": candidate.extensions.first { $0.name == "tcptype" }?.value,
            ])
    }
}
