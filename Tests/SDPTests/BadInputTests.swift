import MediaKernel
import SDP
import Testing

@Suite struct BadInputTests {
    private static let preamble = ["v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0"]

    private static func text(_ lines: [String]) -> String {
        lines.map { $0 + "\r\n" }.joined()
    }

    private static func withSection(_ lines: [String]) -> String {
        text(preamble + ["m=video 9 UDP/TLS/RTP/SAVPF 96"] + lines)
    }

    @Test(arguments: [
        "rtpmap:96", "rtpmap:96 VP8", "rtpmap:96 VP8/0", "rtpmap:96 VP8/x", "rtpmap:200 VP8/90000",
        "rtpmap:96 opus/48000/0", "fmtp:96", "fmtp:x a=1", "rtcp-fb:96", "rtcp-fb:x nack",
        "extmap:0 urn:x", "extmap:1", "extmap:x urn:x", "extmap:1/left urn:x", "extmap:99999 urn:x",
        "ssrc:1", "ssrc:x cname:a", "ssrc:4294967296 cname:a", "ssrc:1 msid:a b c",
        "ssrc-group:FID x", "ssrc-group:", "msid:", "msid:a b c", "rid:1", "rid:1 sideways",
        "rid:a*b send", "rid:1 send pt=200", "simulcast:send", "simulcast:up 1",
        "simulcast:send 1 send 2", "simulcast:send 1;;2", "simulcast:send 1 recv", "setup:both",
        "fingerprint:sha-256", "fingerprint:sha-256 A:B", "fingerprint:sha-256 0G:00",
        "fingerprint:sha-256 +1:00", "ice-ufrag:abc", "ice-ufrag:a b c", "ice-pwd:short",
        "ice-pwd:ümlaut-ümlaut-ümlaut-ümlaut", "mid:", "mid:a b", "sctp-port:0",
        "sctp-port:70000", "max-message-size:many",
    ])
    func aMalformedAttributeIsAnErrorThatNamesItsLine(attribute: String) {
        #expect {
            try SessionDescription.parse(Self.withSection(["a=" + attribute]))
        } throws: { error in
            guard case .malformed(6, "a=" + attribute, _) = error as? SDPError else {
                return false
            }
            return "\(error)".hasPrefix("line 6 ")
        }
    }

    @Test(arguments: [
        "m=", "m=video", "m=video 9 RTP", "m=video x UDP/TLS/RTP/SAVPF 96",
        "m=video 70000 UDP/TLS/RTP/SAVPF 96", "m=video 9 UDP/TLS/RTP/SAVPF 128",
        "m=video 9 UDP/TLS/RTP/SAVPF 96 96", "m=video 9 UDP/TLS/RTP/SAVPF VP8",
        "b=AS", "b=AS:x", "x=1", "", "a", "A=1", "=", "a=group:",
        "a=\u{0}mid:1", "a=mid:1\r", "a=\tx",
    ])
    func aMalformedLineIsAnErrorThatNamesIt(line: String) {
        #expect {
            try SessionDescription.parse(Self.text(Self.preamble + [line, "a=tool:x"]))
        } throws: { error in
            guard case .malformed(5, line, _) = error as? SDPError else { return false }
            return true
        }
    }

    @Test func theFirstThreeLinesAreRequired() {
        let expectations: [([String], Int)] = [
            ([], 1), (["v=0"], 2), (["v=0", "s=-"], 2), (["o=- 1 1 IN IP4 0.0.0.0"], 1),
            (["v=0", "o=- 1 1 IN IP4 0.0.0.0"], 3),
        ]
        for (lines, number) in expectations {
            #expect {
                try SessionDescription.parse(Self.text(lines))
            } throws: { error in
                guard case .missing(number, _) = error as? SDPError else { return false }
                return true
            }
        }
        for (lines, number) in [
            (["v=1"] + Self.preamble.dropFirst(), 1),
            (["v=0", "o=- -1 1 IN IP4 0.0.0.0", "s=-"], 2),
        ] {
            #expect {
                try SessionDescription.parse(Self.text(lines))
            } throws: { error in
                if case SDPError.malformed(number, _, _) = error { true } else { false }
            }
        }
    }

    @Test(arguments: Fixtures.all)
    func aDescriptionCutAfterAnyLineParsesOrThrows(text: String) {
        let lines = text.split(separator: "\r\n").map { String($0) }
        for count in 0...lines.count {
            let cut = Self.text(Array(lines.prefix(count)))
            if count < 3 {
                #expect {
                    try SessionDescription.parse(cut)
                } throws: { error in
                    if case SDPError.missing(count + 1, _) = error { true } else { false }
                }
            } else {
                #expect(throws: Never.self) { try SessionDescription.parse(cut) }
            }
        }
    }

    @Test func aDescriptionCutAnywhereParsesOrThrows() {
        let bytes = Array(Fixtures.firefoxOffer.utf8)
        for count in stride(from: 0, to: bytes.count, by: 7) {
            _ = try? SessionDescription.parse(String(decoding: bytes.prefix(count), as: UTF8.self))
        }
    }

    @Test func mutatedDescriptionsNeverTrapAndWhatParsesRoundTrips() throws {
        var random = SeededRandom(seed: 4)
        let alphabet = Array("0123456789abz=:/;,~ -\r\n*".utf8) + [0, 0xC3, 0xFF]
        for text in Fixtures.all {
            let original = Array(text.utf8)
            for _ in 0..<40 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let at = Int.random(in: 0..<bytes.count, using: &random)
                    let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[at] = byte
                    case 1: bytes.insert(byte, at: at)
                    default: bytes.remove(at: at)
                    }
                }
                let mutant = String(decoding: bytes, as: UTF8.self)
                guard let parsed = try? SessionDescription.parse(mutant) else { continue }
                let rendered = parsed.rendered()
                let again = try SessionDescription.parse(rendered)
                #expect(again.rendered() == rendered)
            }
        }
    }

    @Test func everyMaximumIsEnforcedAndReachable() throws {
        func repeated(_ count: Int, _ line: (Int) -> String) -> [String] { (0..<count).map(line) }
        let cases: [(maximum: Int, line: (Int) -> String)] = [
            (SDPLimits.candidatesPerSectionMaximum, { "a=candidate:\($0)" }),
            (SDPLimits.sourcesPerSectionMaximum, { "a=ssrc:\($0) cname:x" }),
            (SDPLimits.ridsPerSectionMaximum, { "a=rid:\($0) send" }),
            (SDPLimits.sharedFeedbackMaximum, { "a=rtcp-fb:* x\($0)" }),
            (SDPLimits.attributesPerSectionMaximum, { "a=x:\($0)" }),
            (SDPLimits.sectionsMaximum - 1, { _ in "m=audio 9 UDP/TLS/RTP/SAVPF 0" }),
        ]
        for (maximum, line) in cases {
            let full = Self.withSection(repeated(maximum, line))
            #expect(throws: Never.self) { try SessionDescription.parse(full) }
            #expect {
                try SessionDescription.parse(Self.withSection(repeated(maximum + 1, line)))
            } throws: { error in
                guard case .tooMany(_, _, maximum + 6) = error as? SDPError else { return false }
                return true
            }
        }
        let groups = repeated(SDPLimits.groupsMaximum + 1) { "a=group:G \($0)" }
        #expect {
            try SessionDescription.parse(Self.text(Self.preamble + groups))
        } throws: { error in
            if case SDPError.tooMany(_, SDPLimits.groupsMaximum, _) = error { true } else { false }
        }
    }

    @Test func tooLongLinesAndDescriptionsAreRefused() {
        let most = SDPLimits.lineBytesMaximum
        let longest = "a=" + String(repeating: "x", count: most - 2)
        #expect(throws: Never.self) { try SessionDescription.parse(Self.withSection([longest])) }
        #expect(throws: SDPError.lineTooLong(line: 6, byteCount: most + 1)) {
            try SessionDescription.parse(Self.withSection([longest + "x"]))
        }
        let huge = String(repeating: "x", count: SDPLimits.descriptionBytesMaximum + 1)
        #expect(throws: SDPError.descriptionTooLong(byteCount: huge.utf8.count)) {
            try SessionDescription.parse(huge)
        }
    }

    @Test func linesAboutFormatsThatAreNotOfferedAreDropped() throws {
        let section = try SessionDescription.parse(
            Self.withSection([
                "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96", "a=rtcp-fb:97 nack",
                "a=rtpmap:96 VP8/90000", "a=extmap:4096 urn:beyond",
            ])
        ).media[0]
        #expect(section.rtp.codecs.map { $0.payloadType } == [96])
        #expect(section.rtp.headerExtensions.isEmpty)
    }
}
