/// Why a stream cannot be read on. Each case is a stream error of RFC 6120 sect. 4.9.3.
public enum XMLFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Text where only elements may stand.
    case badFormat
    case badNamespacePrefix(String)
    case notWellFormed(String)
    case policyViolation(String)
    /// A comment, a processing instruction, a document type or an entity of its own (sect. 11.1).
    case restrictedXML(String)
    case unsupportedEncoding(String)

    /// The name of the stream error's element.
    public var condition: String {
        switch self {
        case .badFormat: "bad-format"
        case .badNamespacePrefix: "bad-namespace-prefix"
        case .notWellFormed: "not-well-formed"
        case .policyViolation: "policy-violation"
        case .restrictedXML: "restricted-xml"
        case .unsupportedEncoding: "unsupported-encoding"
        }
    }

    public var description: String {
        switch self {
        case .badFormat: "text between stanzas"
        case .badNamespacePrefix(let prefix): "the prefix '\(prefix)' is not declared"
        case .notWellFormed(let what), .policyViolation(let what), .restrictedXML(let what): what
        case .unsupportedEncoding(let name): "the encoding '\(name)' is not UTF-8"
        }
    }
}
