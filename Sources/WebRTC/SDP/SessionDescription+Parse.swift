extension SessionDescription {
    /// Parses an offer or an answer.
    ///
    /// - Throws: `SDPError`, which names the line.
    public static func parse(_ text: String) throws(SDPError) -> SessionDescription {
        let lines = try SDPLine.split(text)
        var parser = SessionParser()
        try parser.checkPreamble(lines)
        for line in lines { try parser.take(line) }
        return parser.finished()
    }
}

/// Takes the lines one by one: first the session's, then those of one section after the other.
private struct SessionParser {
    private var session = SessionDescription()
    /// Collects what the session states for every section.
    private var defaults = SectionParser.sessionLevel
    private var sections: [SectionParser] = []

    /// `v=`, `o=` and `s=` are required, in this order. RFC 8866 sect. 5.
    func checkPreamble(_ lines: [SDPLine]) throws(SDPError) {
        let expected: [(type: Character, what: String)] = [
            ("v", "v=0"), ("o", "an o= line"), ("s", "an s= line"),
        ]
        for (index, (type, what)) in expected.enumerated() {
            guard index < lines.count, lines[index].type == type else {
                throw .missing(line: index + 1, what: what)
            }
        }
        guard lines[0].value == "0" else { throw lines[0].malformed("only version 0 is known") }
    }

    mutating func take(_ line: SDPLine) throws(SDPError) {
        if line.type == "m" {
            guard sections.count < SDPLimits.sectionsMaximum else {
                throw .tooMany(
                    what: "media sections", maximum: SDPLimits.sectionsMaximum, line: line.number)
            }
            sections.append(try SectionParser(line))
        } else if sections.isEmpty {
            try takeSessionLine(line)
        } else {
            try sections[sections.count - 1].take(line)
        }
    }

    private mutating func takeSessionLine(_ line: SDPLine) throws(SDPError) {
        switch line.type {
        case "v": break
        case "o": session.origin = try origin(line)
        case "s": session.name = String(line.value)
        case "t": session.timing = String(line.value)
        case "a": try takeSessionAttribute(line)
        case "c":
            session.otherLines.append(SDPOtherLine(type: "c", value: String(line.value)))
            try defaults.take(line)
        case "b", "i", "u", "e", "p", "r", "z", "k":
            try defaults.take(line)
        default:
            throw line.malformed("no such line in a session")
        }
    }

    private mutating func takeSessionAttribute(_ line: SDPLine) throws(SDPError) {
        let (name, value) = line.attribute
        switch name {
        case "group":
            guard session.groups.count < SDPLimits.groupsMaximum else {
                throw .tooMany(
                    what: "groups", maximum: SDPLimits.groupsMaximum, line: line.number)
            }
            let words = (value ?? "").words.map { String($0) }
            guard let semantics = words.first else { throw line.malformed("a group of nothing") }
            session.groups.append(
                MediaGroup(semantics: semantics, mids: Array(words.dropFirst())))
        case "ice-lite":
            session.isICELite = true
        case "extmap-allow-mixed":
            session.allowsMixedExtensions = true
            try defaults.take(line)
        default:
            try defaults.take(line)
        }
    }

    private func origin(_ line: SDPLine) throws(SDPError) -> Origin {
        let words = line.value.words
        guard words.count == 6 else { throw line.malformed("an origin has six fields") }
        guard let id: UInt64 = words[1].decimal(), let version: UInt64 = words[2].decimal() else {
            throw line.malformed("session id and version are 64-bit numbers")
        }
        return Origin(
            username: String(words[0]), sessionID: id, sessionVersion: version,
            address: words[3...].joined(separator: " "))
    }

    consuming func finished() -> SessionDescription {
        let shared = defaults.finished(defaults: nil)
        session.attributes = shared.attributes
        session.bandwidths = shared.bandwidths
        session.otherLines += shared.otherLines
        for section in sections { session.media.append(section.finished(defaults: shared)) }
        return session
    }
}
