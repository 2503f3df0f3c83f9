internal import SDP

/// The body of a `PATCH`: an SDP fragment with candidates or new ICE credentials. RFC 8840 sect. 9,
/// RFC 9725 sect. 4.3.
public struct TrickleFragment: Hashable, Sendable {
    public var usernameFragment: String?
    public var password: String?
    /// The values of the candidate lines without `a=`, without duplicates.
    public var candidates: [String]
    public var hasEndOfCandidates: Bool

    /// - Throws: ``WHIPError/badDescription(_:)`` with the reason.
    public init(parsing text: String) throws(WHIPError) {
        // A fragment is a description without its session-level lines, which hold no ICE data.
        let beginning = "v=0\r\no=- 0 0 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"
        let description: SessionDescription
        do throws(SDPError) {
            description = try SessionDescription.parse(beginning + text)
        } catch {
            throw .badDescription("malformed fragment: \(error)")
        }
        guard !description.media.isEmpty else {
            throw .badDescription("the fragment has no m= line")
        }
        // All media is bundled on one transport, so all sections have the same credentials.
        usernameFragment = description.media.lazy.compactMap(\.ice.usernameFragment).first
        password = description.media.lazy.compactMap(\.ice.password).first
        guard (usernameFragment == nil) == (password == nil) else {
            throw .badDescription("a=ice-ufrag and a=ice-pwd must stand together")
        }
        var seen: Set<String> = []
        candidates = description.media.flatMap(\.ice.candidates).filter { seen.insert($0).inserted }
        hasEndOfCandidates = description.media.contains(where: \.ice.hasEndOfCandidates)
    }

    /// The answer to an ICE restart: the part of an SDP answer that describes the transport.
    ///
    /// - Parameter answer: an answer with all media bundled.
    static func rendered(of answer: SessionDescription) -> String? {
        guard let section = answer.media.first(where: { $0.ice.usernameFragment != nil }),
            let fragment = section.ice.usernameFragment, let password = section.ice.password
        else { return nil }
        var lines = answer.isICELite ? ["a=ice-lite"] : []
        lines += answer.groups.map { "a=group:\($0.semantics) \($0.mids.joined(separator: " "))" }
        lines.append("m=\(section.kind.name) 9 \(section.proto) 0")
        if let mid = section.mid { lines.append("a=mid:\(mid)") }
        lines += ["a=ice-ufrag:\(fragment)", "a=ice-pwd:\(password)"]
        lines += section.ice.candidates.map { "a=\($0)" }
        lines.append("a=end-of-candidates")
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    /// Whether the fragment starts a new ICE generation compared with an offer. RFC 8840 sect. 4.4.
    func restarts(_ offer: SessionDescription) -> Bool {
        guard let usernameFragment else { return false }
        return !offer.media.contains {
            $0.ice.usernameFragment == usernameFragment && $0.ice.password == password
        }
    }

    /// The offer that the client would make after the restart.
    func applied(to offer: SessionDescription) -> SessionDescription {
        var offer = offer
        for index in offer.media.indices {
            offer.media[index].ice.usernameFragment = usernameFragment
            offer.media[index].ice.password = password
            offer.media[index].ice.candidates = candidates
            offer.media[index].ice.hasEndOfCandidates = hasEndOfCandidates
        }
        return offer
    }
}
