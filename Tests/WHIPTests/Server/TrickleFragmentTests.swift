import Testing
import WHIP

/// The bodies of `PATCH` requests. RFC 8840 sect. 9.
@Suite struct TrickleFragmentTests {
    /// As sent by clients in browsers.
    static let typical =
        [
            "a=group:BUNDLE 0 1", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:0", "a=ice-ufrag:Ab12",
            "a=ice-pwd:0123456789abcdef01234567",
            "a=candidate:1 1 udp 2122260223 192.0.2.9 50000 typ host", "a=end-of-candidates",
        ].joined(separator: "\r\n") + "\r\n"

    @Test func credentialsAndCandidatesAreRead() throws {
        let fragment = try TrickleFragment(parsing: Self.typical)
        #expect(fragment.usernameFragment == "Ab12")
        #expect(fragment.password == "0123456789abcdef01234567")
        #expect(
            fragment.candidates == ["candidate:1 1 udp 2122260223 192.0.2.9 50000 typ host"])
        #expect(fragment.hasEndOfCandidates)
    }

    /// medooze's client writes the credentials before the sections, and repeats its candidates.
    @Test func credentialsMayStandAboveTheSections() throws {
        let candidate = "a=candidate:1 1 udp 1 192.0.2.9 50000 typ host\r\n"
        let fragment = try TrickleFragment(
            parsing: "a=ice-ufrag:Ab12\r\na=ice-pwd:0123456789abcdef01234567\r\n"
                + "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n\(candidate)"
                + "m=video 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:1\r\n\(candidate)")
        #expect(fragment.usernameFragment == "Ab12")
        #expect(fragment.candidates.count == 1)
        #expect(!fragment.hasEndOfCandidates)
    }

    @Test(arguments: [
        ("", "the fragment has no m= line"),
        ("a=end-of-candidates\r\n", "the fragment has no m= line"),
        (
            "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=ice-ufrag:Ab12\r\n",
            "a=ice-ufrag and a=ice-pwd must stand together"
        ),
    ])
    func whatIsIncompleteIsRefused(text: String, reason: String) {
        #expect(throws: WHIPError.badDescription(reason)) {
            try TrickleFragment(parsing: text)
        }
    }

    @Test func everyTruncationIsReadOrRefused() {
        for count in 0...Self.typical.utf8.count {
            let text = String(Self.typical.prefix(count))
            do {
                _ = try TrickleFragment(parsing: text)
            } catch {
                guard case .badDescription = error else {
                    Issue.record("\(count): \(error)")
                    continue
                }
            }
        }
    }
}
