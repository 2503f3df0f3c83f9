/// One RTP payload type of a section: its `rtpmap`, `fmtp` and `rtcp-fb` lines together.
public struct CodecDescription: Hashable, Sendable {
    /// 0…127.
    public var payloadType: UInt8
    /// As written; compare without regard to case (`isNamed`).
    public var name: String
    /// Ticks per second of the RTP timestamp.
    public var clockRate: Int
    /// For audio: the number after the second slash, when there is one.
    public var channels: Int?
    /// The `fmtp` line. RFC 8866 sect. 6.15.
    public var parameters: FormatParameters
    /// The `rtcp-fb` values in order: `nack`, `nack pli`, `ccm fir`, … RFC 4585 sect. 4.2.
    public var feedback: [String]

    public init(
        payloadType: UInt8, name: String, clockRate: Int, channels: Int? = nil,
        parameters: FormatParameters = [], feedback: [String] = []
    ) {
        self.payloadType = payloadType
        self.name = name
        self.clockRate = clockRate
        self.channels = channels
        self.parameters = parameters
        self.feedback = feedback
    }

    /// Encoding names are case-insensitive. RFC 8866 sect. 6.6 by way of RFC 4855.
    public func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

    /// For `rtx`: the payload type whose packets it repeats. RFC 4588 sect. 8.6.
    public var associatedPayloadType: UInt8? {
        guard isNamed("rtx"), let value = parameters["apt"] else { return nil }
        return value[...].decimal()
    }

    /// The retransmission format for one payload type.
    public static func retransmission(payloadType: UInt8, of associated: UInt8, clockRate: Int)
        -> CodecDescription
    {
        CodecDescription(
            payloadType: payloadType, name: "rtx", clockRate: clockRate,
            parameters: [FormatParameter("apt", String(associated))])
    }
}

/// One `name=value` of an `fmtp` line, or a bare word such as `0-15`.
public struct FormatParameter: Hashable, Sendable {
    public var name: String
    public var value: String?

    public init(_ name: String, _ value: String? = nil) {
        self.name = name
        self.value = value
    }
}

/// The parameters of an `fmtp` line in the order written.
public struct FormatParameters: Hashable, Sendable, ExpressibleByArrayLiteral {
    public var elements: [FormatParameter]

    public init(_ elements: [FormatParameter]) { self.elements = elements }
    public init(arrayLiteral elements: FormatParameter...) { self.elements = elements }

    /// Parses the text after the payload type: `minptime=10;useinbandfec=1`.
    public init(parsing text: String) { self.init(text[...]) }

    init(_ text: Substring) {
        elements = text.parts(at: ";").compactMap { part in
            let part = part.trimmed
            guard !part.isEmpty else { return nil }
            let (name, value) = part.divided(at: "=")
            return FormatParameter(String(name.trimmed), value.map { String($0.trimmed) })
        }
    }

    public var isEmpty: Bool { elements.isEmpty }
    public var rendered: String {
        elements.map { element in
            element.value.map { "\(element.name)=\($0)" } ?? element.name
        }.joined(separator: ";")
    }

    /// The value of the first parameter of that name, whose case does not matter. Setting nil
    /// removes it; setting a value replaces it in place or appends it.
    public subscript(name: String) -> String? {
        get { index(of: name).flatMap { elements[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): elements[index].value = value
            case (let index?, nil): elements.remove(at: index)
            case (nil, let value?): elements.append(FormatParameter(name, value))
            case (nil, nil): break
            }
        }
    }

    private func index(of name: String) -> Int? {
        let name = name.lowercased()
        return elements.firstIndex { $0.name.lowercased() == name }
    }
}
