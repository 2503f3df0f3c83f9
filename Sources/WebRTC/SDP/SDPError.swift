/// The fault of a session description. Lines are counted from 1.
public enum SDPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The whole text is longer than `SDPLimits.descriptionBytesMaximum`.
    case descriptionTooLong(byteCount: Int)
    /// One line is longer than `SDPLimits.lineBytesMaximum`.
    case lineTooLong(line: Int, byteCount: Int)
    /// There are more of `what` than we accept.
    case tooMany(what: String, maximum: Int, line: Int)
    /// The line does not have the form its type or its attribute asks for.
    case malformed(line: Int, text: String, reason: String)
    /// The text ended before a line that RFC 8866 requires.
    case missing(line: Int, what: String)

    public var description: String {
        switch self {
        case .descriptionTooLong(let byteCount):
            return "the session description has \(byteCount) bytes, at most "
                + "\(SDPLimits.descriptionBytesMaximum) are taken"
        case .lineTooLong(let line, let byteCount):
            return "line \(line) has \(byteCount) bytes, at most "
                + "\(SDPLimits.lineBytesMaximum) are taken"
        case .tooMany(let what, let maximum, let line):
            return "line \(line): more than \(maximum) \(what)"
        case .malformed(let line, let text, let reason):
            return "line \(line) \"\(text)\": \(reason)"
        case .missing(let line, let what):
            return "line \(line): expected \(what)"
        }
    }
}

/// Limits on the contents of one description. Parsing throws beyond them.
public enum SDPLimits {
    /// A subscriber of a hundred tracks gets about 300 KiB, and clients that never reuse sections
    /// send more with each track. No honest peer sends more than this.
    public static let descriptionBytesMaximum = 900 * 1024
    /// Browsers write lines of a few hundred bytes; only H.264 parameter sets come near.
    public static let lineBytesMaximum = 4096
    public static let sectionsMaximum = 400
    /// Attribute lines per section, of all kinds together.
    public static let attributesPerSectionMaximum = 1024
    public static let candidatesPerSectionMaximum = 128
    public static let sourcesPerSectionMaximum = 64
    public static let ridsPerSectionMaximum = 16
    /// Feedback lines for all formats of a section; every format gets each. Browsers write none.
    public static let sharedFeedbackMaximum = 64
    public static let groupsMaximum = 64
}
