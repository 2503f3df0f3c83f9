internal import SDP
internal import XML

/// One content of a session: audio, video or data. XEP-0166 sect. 7.3.
struct JingleContent: Hashable {
    var name: String
    /// What is sent, for audio and video.
    var description: JingleDescription?
    var transport: JingleTransport?

    init(_ element: XMLElement) throws(JitsiFault) {
        name = try element.text("name", maximum: 64)
        description = try element.child("description", JitsiNamespaces.rtp)
            .map { child throws(JitsiFault) in try JingleDescription(child) }
        transport = try element.child("transport", JitsiNamespaces.ice)
            .map { child throws(JitsiFault) in try JingleTransport(child) }
    }

    /// The kind of its section in SDP. The content of the data channel is called `data`.
    var kind: MediaSection.Kind {
        let kind = description?.kind ?? .other(name)
        if case .other("data") = kind { return .application }
        return kind == .other("audio") ? .audio : kind == .other("video") ? .video : kind
    }
}

/// The codecs and header extensions of a content. XEP-0167, 0293 and 0294.
struct JingleDescription: Hashable {
    var kind: MediaSection.Kind
    var codecs: [CodecDescription] = []
    var headerExtensions: [HeaderExtension] = []
    /// One- and two-byte header extensions may be mixed.
    var allowsMixedExtensions = false

    init(_ element: XMLElement) throws(JitsiFault) {
        kind = MediaSection.Kind(try element.text("media", maximum: 64))
        allowsMixedExtensions = element.elements.contains { $0.name == "extmap-allow-mixed" }
        for type in try element.children(
            "payload-type", JitsiNamespaces.rtp, maximum: JitsiLimits.payloadTypes)
        {
            codecs.append(try Self.codec(type))
        }
        for child in try element.children(
            "rtp-hdrext", JitsiNamespaces.headerExtensions, maximum: JitsiLimits.headerExtensions)
        {
            headerExtensions.append(
                HeaderExtension(
                    id: try child.number("id", in: 1...UInt8.max), uri: try child.text("uri")))
        }
    }

    private static func codec(_ element: XMLElement) throws(JitsiFault) -> CodecDescription {
        var parameters: [FormatParameter] = []
        for parameter in try element.children(
            "parameter", JitsiNamespaces.rtp, maximum: JitsiLimits.parameters)
        {
            let (name, value) = (parameter["name"] ?? "", parameter["value"])
            guard name.utf8.count + (value ?? "").utf8.count <= JitsiLimits.attributeBytes else {
                throw .malformed("<parameter>")
            }
            // Telephone events have a value without a name.
            if name.isEmpty {
                parameters += value.map { [FormatParameter($0)] } ?? []
            } else {
                parameters.append(FormatParameter(name, value))
            }
        }
        var feedback: [String] = []
        for child in try element.children(
            "rtcp-fb", JitsiNamespaces.feedback, maximum: JitsiLimits.feedback)
        {
            let subtype = child["subtype"].map { " \($0)" } ?? ""
            guard subtype.utf8.count <= 64 else { throw .malformed("<rtcp-fb>") }
            feedback.append(try child.text("type", maximum: 64) + subtype)
        }
        return CodecDescription(
            payloadType: try element.number("id", in: 0...UInt8(127)),
            name: try element.text("name", maximum: 64),
            clockRate: try element.number("clockrate", in: 1...1_000_000),
            channels: try element.optionalNumber("channels", in: 1...8),
            // Jicofo writes those of H.264 into one: together they are the text of an `fmtp` line.
            parameters: FormatParameters(parsing: FormatParameters(parameters).rendered),
            feedback: feedback)
    }
}

extension CodecDescription {
    var jingle: XMLElement {
        let parameters = parameters.elements.map { parameter in
            XMLElement(
                "parameter", JitsiNamespaces.rtp,
                ["name": parameter.name, "value": parameter.value ?? ""])
        }
        let feedback = feedback.map { line in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            return XMLElement(
                "rtcp-fb", JitsiNamespaces.feedback,
                ["type": words.first, "subtype": words.count == 2 ? words[1] : nil])
        }
        return XMLElement(
            "payload-type", JitsiNamespaces.rtp,
            [
                "id": "\(payloadType)", "name": name, "clockrate": "\(clockRate)",
                "channels": channels.map { "\($0)" },
            ], parameters + feedback)
    }
}

extension HeaderExtension {
    var jingle: XMLElement {
        XMLElement("rtp-hdrext", JitsiNamespaces.headerExtensions, ["id": "\(id)", "uri": uri])
    }
}
