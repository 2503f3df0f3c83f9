import MediaKernel
import SDP
import Testing

@Suite struct RenderingTests {
    @Test(arguments: Fixtures.all)
    func whatWasParsedComesBackEqual(text: String) throws {
        let parsed = try SessionDescription.parse(text)
        let rendered = parsed.rendered()
        #expect(try SessionDescription.parse(rendered) == parsed)
        // After that, the text no longer changes.
        #expect(try SessionDescription.parse(rendered).rendered() == rendered)
    }

    @Test func aChromiumOfferLosesNoLine() throws {
        let rendered = try SessionDescription.parse(Fixtures.chromiumOffer).rendered()
        func sorted(_ text: String) -> [Substring] { text.split(separator: "\r\n").sorted() }
        #expect(sorted(rendered) == sorted(Fixtures.chromiumOffer))
    }

    @Test func aServersOfferIsWrittenLineByLine() {
        let msid = MediaStreamIdentifier(stream: "s", track: "t")
        var offer = SessionDescription(
            origin: Origin(sessionID: 5, sessionVersion: 2), isICELite: true,
            allowsMixedExtensions: true)
        offer.media = [
            MediaSection(
                kind: .video, mid: "0", direction: .sendOnly,
                ice: ICEDescription(
                    usernameFragment: "frag", password: "password-of-22-letters",
                    candidates: ["candidate:1 1 udp 2130706431 192.0.2.1 7000 typ host"],
                    hasEndOfCandidates: true),
                dtls: DTLSDescription(
                    fingerprints: [Fingerprint(algorithm: "SHA-256", value: "0a:1b")],
                    setup: .actpass),
                rtp: RTPDescription(
                    hasReducedSizeRTCP: true,
                    codecs: [
                        CodecDescription(
                            payloadType: 96, name: "VP8", clockRate: 90_000,
                            feedback: ["nack", "nack pli"]),
                        .retransmission(payloadType: 97, of: 96, clockRate: 90_000),
                    ],
                    headerExtensions: [
                        HeaderExtension(id: 4, uri: "urn:ietf:params:rtp-hdrext:sdes:mid")
                    ], msids: [msid],
                    sources: [
                        MediaSource(ssrc: 1, cname: "c", msid: msid),
                        MediaSource(ssrc: 2, cname: "c"),
                    ], sourceGroups: [SourceGroup(semantics: "FID", ssrcs: [1, 2])])),
            MediaSection(kind: .audio, mid: "1", direction: .inactive, port: 0),
            MediaSection(
                kind: .application, mid: "2",
                sctp: SCTPDescription(port: 5000, maxMessageSize: 65536)),
        ]
        offer.bundledMIDs = ["0", "2"]
        let expected = [
            "v=0", "o=- 5 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=ice-lite", "a=group:BUNDLE 0 2",
            "a=extmap-allow-mixed",
            "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "c=IN IP4 0.0.0.0",
            "a=candidate:1 1 udp 2130706431 192.0.2.1 7000 typ host", "a=end-of-candidates",
            "a=ice-ufrag:frag", "a=ice-pwd:password-of-22-letters", "a=fingerprint:sha-256 0A:1B",
            "a=setup:actpass", "a=mid:0", "a=sendonly", "a=msid:s t",
            "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid", "a=rtcp-mux", "a=rtcp-rsize",
            "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack pli",
            "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96", "a=ssrc-group:FID 1 2",
            "a=ssrc:1 cname:c", "a=ssrc:1 msid:s t", "a=ssrc:2 cname:c",
            "m=audio 0 UDP/TLS/RTP/SAVPF 0", "c=IN IP4 0.0.0.0", "a=mid:1", "a=inactive",
            "a=rtcp-mux",
            "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=mid:2",
            "a=sctp-port:5000", "a=max-message-size:65536",
        ]
        #expect(offer.rendered() == expected.map { $0 + "\r\n" }.joined())
    }

    @Test func aNameWithALineBreakCannotAddALine() throws {
        var offer = try SessionDescription.parse(Fixtures.chromiumAnswer)
        let before = offer.rendered().split(separator: "\r\n").count
        offer.media[0].rtp.msids = [
            MediaStreamIdentifier(stream: "s\r\na=ice-lite", track: "t\na=mid:7\u{0}")
        ]
        let lines = offer.rendered().split(separator: "\r\n")
        #expect(lines.count == before + 1)
        #expect(lines.contains("a=msid:sa=ice-lite ta=mid:7"))
    }

    @Test func theBundleGroupIsSetReplacedAndRemoved() {
        var session = SessionDescription()
        #expect(session.bundledMIDs.isEmpty)
        session.bundledMIDs = ["a"]
        session.groups.append(MediaGroup(semantics: "LS", mids: ["a", "b"]))
        session.bundledMIDs = ["a", "b"]
        #expect(
            session.groups == [
                MediaGroup(semantics: "BUNDLE", mids: ["a", "b"]),
                MediaGroup(semantics: "LS", mids: ["a", "b"]),
            ])
        session.bundledMIDs = []
        #expect(session.groups.map { $0.semantics } == ["LS"])
    }

    @Test func unknownLinesAndAttributesComeBackInTheirPlaces() throws {
        let lines = [
            "v=0", "o=- 1 1 IN IP6 ::1", "s=a talk", "i=about it", "u=https://example.org",
            "e=a@example.org", "p=+1", "c=IN IP4 192.0.2.1", "b=AS:99", "t=1 2", "r=1 2 3",
            "z=0 0", "k=prompt", "a=tool:x y:z", "a=flag",
            "m=audio 9 UDP/TLS/RTP/SAVPF 0", "i=title", "c=IN IP4 192.0.2.1", "b=TIAS:5",
            "k=prompt", "a=sendrecv", "a=x-one:1", "a=x-two",
        ]
        let text = lines.map { $0 + "\r\n" }.joined()
        #expect(try SessionDescription.parse(text).rendered() == text)
    }
}
