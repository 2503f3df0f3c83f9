import SDP
import Testing

@Suite struct ParsingTests {
    @Test func aChromiumOfferIsReadWhole() throws {
        let offer = try SessionDescription.parse(Fixtures.chromiumOffer)
        #expect(offer.origin.sessionID == 4_611_731_400_430_051_336)
        #expect(offer.origin.sessionVersion == 2)
        #expect(offer.bundledMIDs == ["0", "1", "2"])
        #expect(offer.allowsMixedExtensions)
        #expect(!offer.isICELite)
        #expect(offer.attributes == [SDPAttribute("msid-semantic", " WMS stream-a")])
        #expect(offer.media.map { $0.kind } == [.audio, .video, .application])
        #expect(offer.media.allSatisfy { !$0.isRejected && $0.port == 9 })
        #expect(offer.media.allSatisfy { $0.dtls.setup == .actpass })
        #expect(offer.media.allSatisfy { $0.ice.usernameFragment == "k7Qd" })
        #expect(offer.media.allSatisfy { $0.ice.password == "sYt0iZyG2bqWmX1cVv8nR3pL" })
        #expect(offer.media.allSatisfy { $0.ice.options == ["trickle"] })
        #expect(offer.media.allSatisfy { $0.dtls.fingerprints.first?.algorithm == "sha-256" })
        #expect(offer.section(mid: "1")?.kind == .video)
        #expect(offer.section(mid: "9") == nil)
    }

    @Test func theAudioSectionHasItsCodecsAndItsSource() throws {
        let audio = try #require(
            try SessionDescription.parse(Fixtures.chromiumOffer).section(mid: "0"))
        #expect(audio.rtp.codecs.map { $0.payloadType } == [111, 63, 9, 0, 8, 13, 110, 126])
        let opus = try #require(audio.rtp.codecs.first)
        #expect(opus.isNamed("OPUS"))
        #expect(opus.clockRate == 48_000)
        #expect(opus.channels == 2)
        #expect(opus.parameters["useinbandfec"] == "1")
        #expect(opus.feedback == ["transport-cc"])
        #expect(audio.rtp.codecs[1].parameters.elements == [FormatParameter("111/111")])
        #expect(audio.direction == .sendReceive)
        #expect(
            audio.rtp.msids == [MediaStreamIdentifier(stream: "stream-a", track: "track-audio")])
        #expect(
            audio.rtp.sources == [
                MediaSource(
                    ssrc: 1_766_271_539, cname: "9pLmQxWz4RtYvBnK", msid: audio.rtp.msids.first)
            ])
        #expect(audio.rtp.hasRTCPMux && audio.rtp.hasReducedSizeRTCP)
        #expect(audio.attributes == [SDPAttribute("rtcp", "9 IN IP4 0.0.0.0")])
        #expect(audio.rtp.headerExtensions.map { $0.id } == [1, 2, 3, 4])
    }

    @Test func theVideoSectionHasItsLayersAndFormats() throws {
        let video = try #require(
            try SessionDescription.parse(Fixtures.chromiumOffer).section(mid: "1"))
        #expect(video.rtp.codecs.count == 23)
        #expect(video.direction == .sendOnly)
        #expect(video.rtp.rids.map { $0.id } == ["f", "h", "q"])
        #expect(video.rtp.simulcast?.sendRIDs == ["f", "h", "q"])
        #expect(video.rtp.simulcast?.receive.isEmpty == true)
        #expect(
            video.rtp.codecs[0].feedback == [
                "goog-remb", "transport-cc", "ccm fir", "nack", "nack pli",
            ])
        #expect(video.rtp.codecs[1].associatedPayloadType == 96)
        #expect(video.rtp.codecs[0].associatedPayloadType == nil)
        #expect(
            video.rtp.headerExtensions.first { $0.id == 10 }?.uri
                == "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id")
    }

    @Test func theDataSectionHasItsSCTPPort() throws {
        let data = try #require(
            try SessionDescription.parse(Fixtures.chromiumOffer).section(mid: "2"))
        #expect(data.proto == MediaSection.sctpProtocol)
        #expect(data.otherFormats == [MediaSection.dataChannelFormat])
        #expect(data.rtp.codecs.isEmpty)
        #expect(data.sctp.port == 5000)
        #expect(data.sctp.maxMessageSize == 262_144)
    }

    @Test func whatFirefoxStatesOnceHoldsForEverySection() throws {
        let offer = try SessionDescription.parse(Fixtures.firefoxOffer)
        let half = "F9:E8:D7:C6:B5:A4:93:82:71:60:5F:4E:3D:2C:1B:0A"
        let fingerprint = half + ":" + half
        for section in offer.media {
            #expect(section.dtls.fingerprints.map { $0.value } == [fingerprint])
            #expect(section.ice.options == ["trickle"])
            #expect(section.direction == .sendReceive)
        }
    }

    @Test func aBundleOnlySectionIsNotRejected() throws {
        let offer = try SessionDescription.parse(Fixtures.firefoxOffer)
        let video = offer.media[1]
        #expect(video.port == 0)
        #expect(video.isBundleOnly)
        #expect(!video.isRejected)
        let answer = try SessionDescription.parse(Fixtures.chromiumAnswer)
        #expect(answer.media.map { $0.isRejected } == [false, true, false])
    }

    @Test func firefoxCandidatesAndSourcesAreKept() throws {
        let offer = try SessionDescription.parse(Fixtures.firefoxOffer)
        #expect(
            offer.media[0].ice.candidates == [
                "candidate:0 1 UDP 2122252543 192.0.2.2 40310 typ host",
                "candidate:2 1 TCP 2105524479 192.0.2.2 9 typ host tcptype active",
            ])
        #expect(offer.media[0].ice.hasEndOfCandidates)
        #expect(offer.media[0].rtp.headerExtensions[1].direction == .receiveOnly)
        #expect(
            offer.media[1].rtp.sourceGroups == [
                SourceGroup(semantics: "FID", ssrcs: [3_735_928_559, 3_405_691_582])
            ])
        #expect(offer.media[1].rtp.sources.count == 2)
    }

    @Test func wildcardFeedbackHoldsForEveryFormatOnce() throws {
        let video = try SessionDescription.parse(Fixtures.firefoxOffer).media[1]
        #expect(video.rtp.codecs.allSatisfy { $0.feedback.count { $0 == "nack" } == 1 })
        #expect(video.rtp.codecs[0].feedback.contains("nack pli"))
        #expect(!video.rtp.codecs[2].feedback.contains("nack pli"))
    }

    @Test func feedbackStatedBothWaysIsListedOnce() throws {
        let text = [
            "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "m=video 9 UDP/TLS/RTP/SAVPF 96",
            "a=rtpmap:96 VP8/90000", "a=rtcp-fb:* nack", "a=rtcp-fb:* ccm fir",
            "a=rtcp-fb:96 nack",
        ].joined(separator: "\n")
        let section = try SessionDescription.parse(text).media[0]
        #expect(section.rtp.codecs[0].feedback == ["nack", "ccm fir"])
    }

    @Test func whatTheSessionStatesGivesWayToTheSection() throws {
        let text = [
            "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "c=IN IP4 192.0.2.1", "t=0 0", "a=recvonly",
            "a=setup:passive", "a=ice-ufrag:four", "a=ice-pwd:a-password-of-22-chars",
            "a=extmap:1 urn:one", "m=audio 9 UDP/TLS/RTP/SAVPF 0",
            "m=audio 9 UDP/TLS/RTP/SAVPF 0", "c=IN IP4 192.0.2.2", "a=sendonly", "a=setup:active",
            "a=ice-ufrag:five", "a=ice-pwd:b-password-of-22-chars", "a=extmap:2 urn:two",
        ].joined(separator: "\n")
        let media = try SessionDescription.parse(text).media
        #expect(media.map { $0.direction } == [.receiveOnly, .sendOnly])
        #expect(media.map { $0.dtls.setup } == [.passive, .active])
        #expect(media.map { $0.connection } == ["IN IP4 192.0.2.1", "IN IP4 192.0.2.2"])
        #expect(media.map { $0.ice.usernameFragment } == ["four", "five"])
        #expect(media.map { $0.ice.password?.first } == ["a", "b"])
        #expect(media.map { $0.rtp.headerExtensions.map { $0.id } } == [[1], [2]])
    }

    @Test func ridsKeepTheirRestrictionsAndPausedLayers() throws {
        let video = try SessionDescription.parse(Fixtures.firefoxAnswer).media[0]
        #expect(
            video.rtp.rids[0]
                == RestrictionIdentifier(
                    id: "hi", direction: .send, payloadTypes: [120],
                    restrictions: [
                        FormatParameter("max-width", "1280"), FormatParameter("max-height", "720"),
                    ]))
        #expect(
            video.rtp.simulcast?.send == [
                [Simulcast.Alternative(rid: "hi")],
                [Simulcast.Alternative(rid: "lo", isPaused: true)],
            ])
    }

    @Test func aPayloadTypeWithoutAMapStaysAFormat() throws {
        let rejected = try SessionDescription.parse(Fixtures.chromiumAnswer).media[1]
        #expect(rejected.rtp.codecs.isEmpty)
        #expect(rejected.otherFormats == ["0"])
    }

    @Test func anUnknownKindOfMediaIsKeptForTheRejection() throws {
        let text = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=text 9 TCP/MSRP *\r\n"
        let section = try SessionDescription.parse(text).media[0]
        #expect(section.kind == .other("text"))
        let rejection = MediaSection.rejection(of: section)
        #expect(rejection.isRejected)
        #expect(rejection.kind == .other("text"))
        #expect(rejection.otherFormats == ["*"])
        #expect(rejection.proto == "TCP/MSRP")
    }

    @Test func bareLineFeedsAreTaken() throws {
        let bare = Fixtures.chromiumOffer.replacing("\r\n", with: "\n")
        #expect(
            try SessionDescription.parse(bare)
                == SessionDescription.parse(Fixtures.chromiumOffer))
    }
}
