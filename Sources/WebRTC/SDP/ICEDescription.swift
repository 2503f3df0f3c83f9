/// What a section says about ICE. RFC 8839 sect. 5.
public struct ICEDescription: Hashable, Sendable {
    public var usernameFragment: String?
    public var password: String?
    /// `trickle`, `renomination`, … RFC 8839 sect. 5.6.
    public var options: [String]
    /// The text after `a=`: `candidate:…`. The ICE module parses it.
    public var candidates: [String]
    public var hasEndOfCandidates: Bool

    public init(
        usernameFragment: String? = nil, password: String? = nil, options: [String] = [],
        candidates: [String] = [], hasEndOfCandidates: Bool = false
    ) {
        self.usernameFragment = usernameFragment
        self.password = password
        self.options = options
        self.candidates = candidates
        self.hasEndOfCandidates = hasEndOfCandidates
    }

    var attributes: [String] {
        var lines = candidates
        if hasEndOfCandidates { lines.append("end-of-candidates") }
        if let usernameFragment { lines.append("ice-ufrag:\(usernameFragment)") }
        if let password { lines.append("ice-pwd:\(password)") }
        if !options.isEmpty { lines.append("ice-options:" + options.joined(separator: " ")) }
        return lines
    }
}
