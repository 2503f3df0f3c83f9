/// A whole offer or answer. RFC 8866; as WebRTC uses it, RFC 9429.
///
/// Parsing is lenient where browsers differ (line ends, order of attributes, unknown attributes)
/// and strict in form: a part that the parser understands is either right or an error that names
/// its line. Rendering a parsed description and parsing it again gives an equal value.
public struct SessionDescription: Hashable, Sendable {
    public var origin: Origin
    /// The `s=` line.
    public var name: String
    /// The `t=` line; WebRTC knows only `0 0`.
    public var timing: String
    public var bandwidths: [Bandwidth]
    /// `a=group:` lines in order.
    public var groups: [MediaGroup]
    /// The writer only answers connectivity checks. RFC 8839 sect. 5.3.
    public var isICELite: Bool
    /// `a=extmap-allow-mixed` for every section.
    public var allowsMixedExtensions: Bool
    /// Session attributes without a field of their own, in order: `msid-semantic`, …
    public var attributes: [SDPAttribute]
    public var otherLines: [SDPOtherLine]
    public var media: [MediaSection]

    public init(
        origin: Origin = Origin(), name: String = "-", timing: String = "0 0",
        bandwidths: [Bandwidth] = [], groups: [MediaGroup] = [], isICELite: Bool = false,
        allowsMixedExtensions: Bool = false, attributes: [SDPAttribute] = [],
        otherLines: [SDPOtherLine] = [], media: [MediaSection] = []
    ) {
        self.origin = origin
        self.name = name
        self.timing = timing
        self.bandwidths = bandwidths
        self.groups = groups
        self.isICELite = isICELite
        self.allowsMixedExtensions = allowsMixedExtensions
        self.attributes = attributes
        self.otherLines = otherLines
        self.media = media
    }

    /// The mids of the BUNDLE group; empty when there is none. Setting an empty list removes the
    /// group. RFC 9143.
    public var bundledMIDs: [String] {
        get { groups.first { $0.semantics == "BUNDLE" }?.mids ?? [] }
        set {
            let index = groups.firstIndex { $0.semantics == "BUNDLE" }
            switch (index, newValue.isEmpty) {
            case (let index?, false): groups[index].mids = newValue
            case (let index?, true): groups.remove(at: index)
            case (nil, false):
                groups.insert(MediaGroup(semantics: "BUNDLE", mids: newValue), at: 0)
            case (nil, true): break
            }
        }
    }

    /// The section of that mid.
    public func section(mid: String) -> MediaSection? { media.first { $0.mid == mid } }

    /// The text to send, with CR LF at the end of every line.
    ///
    /// Leaves out control characters inside values, so that a name given by a stranger cannot add a
    /// line.
    public func rendered() -> String {
        var lines = ["v=0", "o=\(origin.rendered)", "s=\(name)"]
        lines += otherLines(ofTypes: "iuepc")
        lines += bandwidths.map { "b=\($0.type):\($0.value)" }
        lines.append("t=\(timing)")
        lines += otherLines(ofTypes: "rzk")
        if isICELite { lines.append("a=ice-lite") }
        lines += groups.map { "a=\($0.rendered)" }
        if allowsMixedExtensions { lines.append("a=extmap-allow-mixed") }
        lines += attributes.map { "a=\($0.rendered)" }
        for section in media {
            lines += section.lines(sessionAllowsMixedExtensions: allowsMixedExtensions)
        }
        var text = ""
        text.reserveCapacity(lines.reduce(0) { $0 + $1.utf8.count + 2 })
        for line in lines {
            text += line.utf8.allSatisfy { $0 >= 0x20 } ? line : line.withoutControlCharacters
            text += "\r\n"
        }
        return text
    }

    private func otherLines(ofTypes types: String) -> [String] {
        types.flatMap { type in
            otherLines.filter { $0.type == type }.map { "\($0.type)=\($0.value)" }
        }
    }
}

extension String {
    fileprivate var withoutControlCharacters: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.value >= 0x20 }))
    }
}

/// The `o=` line. RFC 8866 sect. 5.2.
public struct Origin: Hashable, Sendable {
    public var username: String
    public var sessionID: UInt64
    /// Grows by one with each description of the same session. RFC 3264 sect. 8.
    public var sessionVersion: UInt64
    /// `<nettype> <addrtype> <address>`.
    public var address: String

    public init(
        username: String = "-", sessionID: UInt64 = 0, sessionVersion: UInt64 = 0,
        address: String = "IN IP4 127.0.0.1"
    ) {
        self.username = username
        self.sessionID = sessionID
        self.sessionVersion = sessionVersion
        self.address = address
    }

    var rendered: String { "\(username) \(sessionID) \(sessionVersion) \(address)" }
}

/// `a=group:<semantics> <mid> …`. RFC 5888.
public struct MediaGroup: Hashable, Sendable {
    public var semantics: String
    public var mids: [String]

    public init(semantics: String, mids: [String]) {
        self.semantics = semantics
        self.mids = mids
    }

    var rendered: String { (["group:\(semantics)"] + mids).joined(separator: " ") }
}
