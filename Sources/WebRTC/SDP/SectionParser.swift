/// Collects the lines of one section; `finished` ties the codec lines together.
struct SectionParser {
    private var section: MediaSection
    private var codecs = CodecLines()
    private var connection: String?
    private var direction: MediaDirection?
    private var attributeCount = 0

    /// Takes the attributes above the first `m=` line.
    static let sessionLevel = SectionParser(
        section: MediaSection(kind: .other("session"), rtp: RTPDescription(hasRTCPMux: false)))

    private init(section: MediaSection) { self.section = section }

    /// `m=<kind> <port>[/<count>] <protocol> <format> …`
    init(_ line: SDPLine) throws(SDPError) {
        let words = line.value.words
        guard words.count >= 4 else {
            throw line.malformed("a media line has a kind, a port, a protocol and formats")
        }
        guard let port: UInt16 = words[1].divided(at: "/").head.decimal() else {
            throw line.malformed("no port")
        }
        self.init(
            section: MediaSection(
                kind: MediaSection.Kind(String(words[0])), port: port, proto: String(words[2]),
                otherFormats: [], rtp: RTPDescription(hasRTCPMux: false)))
        let isRTP = words[2].parts(at: "/").contains("RTP")
        for format in words[3...] {
            if isRTP {
                try codecs.add(format: format, line)
            } else {
                section.otherFormats.append(String(format))
            }
        }
    }

    mutating func take(_ line: SDPLine) throws(SDPError) {
        switch line.type {
        case "a":
            attributeCount += 1
            guard attributeCount <= SDPLimits.attributesPerSectionMaximum else {
                throw .tooMany(
                    what: "attributes in a section",
                    maximum: SDPLimits.attributesPerSectionMaximum, line: line.number)
            }
            let (name, text) = line.attribute
            let value = text ?? ""
            if try takeTransport(name, value, line) { return }
            if try takeMedia(name, value, line) { return }
            section.attributes.append(SDPAttribute(name, text.map { String($0) }))
        case "c":
            connection = String(line.value)
        case "b":
            let (type, value) = line.value.divided(at: ":")
            guard let value: UInt64 = value?.trimmed.decimal() else {
                throw line.malformed("a bandwidth is <type>:<number>")
            }
            section.bandwidths.append(Bandwidth(type: String(type), value: value))
        case "i", "k", "u", "e", "p", "r", "z":
            section.otherLines.append(
                SDPOtherLine(type: line.type, value: String(line.value)))
        default:
            throw line.malformed("no such line in a media section")
        }
    }

    private mutating func takeTransport(
        _ name: String, _ value: Substring, _ line: SDPLine
    ) throws(SDPError) -> Bool {
        switch name {
        case "ice-ufrag": section.ice.usernameFragment = try iceWord(value, 4...256, line)
        case "ice-pwd": section.ice.password = try iceWord(value, 22...256, line)
        case "ice-options": section.ice.options = value.words.map { String($0) }
        case "candidate":
            guard section.ice.candidates.count < SDPLimits.candidatesPerSectionMaximum else {
                throw .tooMany(
                    what: "candidates in a section",
                    maximum: SDPLimits.candidatesPerSectionMaximum, line: line.number)
            }
            section.ice.candidates.append(String(line.value))
        case "end-of-candidates": section.ice.hasEndOfCandidates = true
        case "fingerprint":
            guard let fingerprint = Fingerprint(value) else {
                throw line.malformed("a fingerprint is <algorithm> <hexadecimal pairs>")
            }
            section.dtls.fingerprints.append(fingerprint)
        case "setup":
            guard let setup = DTLSSetup(rawValue: String(value)) else {
                throw line.malformed("no such setup role")
            }
            section.dtls.setup = setup
        case "sctp-port":
            guard let port: UInt16 = value.decimal(), port > 0 else {
                throw line.malformed("no port")
            }
            section.sctp.port = port
        case "max-message-size":
            guard let size: UInt64 = value.decimal() else { throw line.malformed("no size") }
            section.sctp.maxMessageSize = size
        default: return false
        }
        return true
    }

    /// The lengths and the alphabet of RFC 8839 sect. 5.4.
    private func iceWord(
        _ value: Substring, _ lengths: ClosedRange<Int>, _ line: SDPLine
    ) throws(SDPError) -> String {
        guard lengths.contains(value.utf8.count) else {
            throw line.malformed(
                "between \(lengths.lowerBound) and \(lengths.upperBound) characters are allowed")
        }
        let isClean = value.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F: return true
            // RFC 5245's alphabet is + and /, but - _ = # do turn up in the field.
            case 0x2D, 0x5F, 0x3D, 0x23: return true
            default: return false
            }
        }
        guard isClean else { throw line.malformed("letters, digits, + and / are allowed") }
        return String(value)
    }

    private mutating func takeMedia(
        _ name: String, _ value: Substring, _ line: SDPLine
    ) throws(SDPError) -> Bool {
        switch name {
        case "mid":
            guard !value.isEmpty, !value.utf8.contains(0x20) else { throw line.malformed("no mid") }
            section.mid = String(value)
        case "sendrecv", "sendonly", "recvonly", "inactive":
            direction = MediaDirection(rawValue: name)
        case "bundle-only": section.isBundleOnly = true
        case "rtcp-mux": section.rtp.hasRTCPMux = true
        case "rtcp-rsize": section.rtp.hasReducedSizeRTCP = true
        case "extmap-allow-mixed": section.rtp.allowsMixedExtensions = true
        case "extmap": try takeExtension(value, line)
        case "rtpmap": try codecs.takeMap(value, line)
        case "fmtp": try codecs.takeParameters(value, line)
        case "rtcp-fb": try codecs.takeFeedback(value, line)
        case "msid":
            guard let msid = MediaStreamIdentifier(value) else {
                throw line.malformed("an msid is <stream> [<track>]")
            }
            section.rtp.msids.append(msid)
        case "ssrc": try takeSource(value, line)
        case "ssrc-group": try takeSourceGroup(value, line)
        case "rid":
            guard let rid = RestrictionIdentifier(value) else {
                throw line.malformed("a rid is <id> <send|recv> [restrictions]")
            }
            guard section.rtp.rids.count < SDPLimits.ridsPerSectionMaximum else {
                throw .tooMany(
                    what: "rids in a section", maximum: SDPLimits.ridsPerSectionMaximum,
                    line: line.number)
            }
            section.rtp.rids.append(rid)
        case "simulcast":
            guard let simulcast = Simulcast(value) else {
                throw line.malformed("simulcast is send <layers> and/or recv <layers>")
            }
            section.rtp.simulcast = simulcast
        default: return false
        }
        return true
    }

    private mutating func takeExtension(_ value: Substring, _ line: SDPLine) throws(SDPError) {
        let words = value.words
        guard words.count >= 2, let (id, direction) = words.first?.divided(at: "/"),
            let id: UInt16 = id.decimal(), id > 0
        else { throw line.malformed("an extmap is <id>[/<direction>] <uri>") }
        let parsed = direction.map { MediaDirection(rawValue: String($0)) }
        if let parsed, parsed == nil { throw line.malformed("no such direction") }
        // RFC 8285 sect. 6 lets an offer number more extensions than fit from 4096 on; such ids
        // never travel in packets, so nothing is lost without them.
        guard let id = UInt8(exactly: id) else { return }
        section.rtp.headerExtensions.append(
            HeaderExtension(
                id: id, uri: String(words[1]), direction: parsed ?? nil,
                attributes: words.count > 2 ? words[2...].joined(separator: " ") : nil))
    }

    /// `ssrc:<ssrc> <attribute>[:<value>]`
    private mutating func takeSource(_ value: Substring, _ line: SDPLine) throws(SDPError) {
        let (number, rest) = value.divided(at: " ")
        guard let ssrc: UInt32 = number.decimal(), let rest, !rest.isEmpty else {
            throw line.malformed("an ssrc line is <ssrc> <attribute>")
        }
        var index = section.rtp.sources.firstIndex { $0.ssrc == ssrc }
        if index == nil {
            guard section.rtp.sources.count < SDPLimits.sourcesPerSectionMaximum else {
                throw .tooMany(
                    what: "sources in a section",
                    maximum: SDPLimits.sourcesPerSectionMaximum, line: line.number)
            }
            index = section.rtp.sources.count
            section.rtp.sources.append(MediaSource(ssrc: ssrc))
        }
        guard let index else { return }
        let attribute = SDPAttribute(parsing: rest)
        switch (attribute.name, attribute.value) {
        case ("cname", let cname?):
            section.rtp.sources[index].cname = cname
        case ("msid", let text?):
            guard let msid = MediaStreamIdentifier(text[...]) else {
                throw line.malformed("an msid is <stream> [<track>]")
            }
            section.rtp.sources[index].msid = msid
        default:
            section.rtp.sources[index].attributes.append(attribute)
        }
    }

    private mutating func takeSourceGroup(_ value: Substring, _ line: SDPLine) throws(SDPError) {
        let words = value.words
        guard let semantics = words.first else { throw line.malformed("a group of nothing") }
        guard words.count <= SDPLimits.sourcesPerSectionMaximum else {
            throw .tooMany(
                what: "sources in a group", maximum: SDPLimits.sourcesPerSectionMaximum,
                line: line.number)
        }
        var group = SourceGroup(semantics: String(semantics), ssrcs: [])
        for word in words.dropFirst() {
            guard let ssrc: UInt32 = word.decimal() else { throw line.malformed("no ssrc") }
            group.ssrcs.append(ssrc)
        }
        section.rtp.sourceGroups.append(group)
    }

    /// The section, with the session's values for those it does not state.
    consuming func finished(defaults: MediaSection?) -> MediaSection {
        let (described, unexplained) = codecs.finished()
        section.rtp.codecs = described
        section.otherFormats += unexplained
        if let connection { section.connection = connection }
        if let direction { section.direction = direction }
        guard let defaults else { return section }
        if connection == nil { section.connection = defaults.connection }
        if direction == nil { section.direction = defaults.direction }
        if section.ice.usernameFragment == nil, section.ice.password == nil {
            section.ice.usernameFragment = defaults.ice.usernameFragment
            section.ice.password = defaults.ice.password
        }
        if section.ice.options.isEmpty { section.ice.options = defaults.ice.options }
        if section.dtls.fingerprints.isEmpty {
            section.dtls.fingerprints = defaults.dtls.fingerprints
        }
        if section.dtls.setup == nil { section.dtls.setup = defaults.dtls.setup }
        if section.rtp.headerExtensions.isEmpty {
            section.rtp.headerExtensions = defaults.rtp.headerExtensions
        }
        if defaults.rtp.allowsMixedExtensions { section.rtp.allowsMixedExtensions = true }
        return section
    }
}
