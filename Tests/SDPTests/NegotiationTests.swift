import MediaKernel
import SDP
import Testing

@Suite struct NegotiationTests {
    private func section(_ text: String, _ mid: String) throws -> MediaSection {
        try #require(try SessionDescription.parse(text).section(mid: mid))
    }

    @Test func audioAgreesOnOpusAlone() throws {
        let agreed = negotiate(
            offered: try section(Fixtures.chromiumOffer, "0"), capabilities: Defaults.roomcast)
        #expect(
            agreed == [
                NegotiatedCodec(
                    codec: CodecDescription(
                        payloadType: 111, name: "opus", clockRate: 48_000, channels: 2,
                        parameters: [
                            FormatParameter("minptime", "10"),
                            FormatParameter("useinbandfec", "1"),
                        ], feedback: ["transport-cc"]))
            ])
    }

    @Test func aWishForStereoIsRepeatedAndOtherParametersAreNot() throws {
        let agreed = negotiate(
            offered: try section(Fixtures.firefoxOffer, "0"), capabilities: Defaults.roomcast)
        let opus = try #require(agreed.first).codec
        #expect(opus.payloadType == 109)
        #expect(opus.parameters.rendered == "minptime=10;useinbandfec=1;stereo=1")
    }

    @Test func videoAgreesInOurOrderWithTheOfferersNumbers() throws {
        let agreed = negotiate(
            offered: try section(Fixtures.chromiumOffer, "1"), capabilities: Defaults.roomcast)
        // VP8, VP9 profiles 0 and 2, H.264 mode 1 and 0 in the order offered, AV1.
        #expect(
            agreed.map { $0.codec.payloadType } == [96, 98, 100, 103, 109, 117, 107, 115, 45])
        #expect(
            agreed.map { $0.rtxPayloadType } == [97, 99, 101, 104, 114, 118, 108, 116, 46])
        #expect(
            agreed[0].codec.feedback == [
                "goog-remb", "transport-cc", "ccm fir", "nack", "nack pli",
            ])
        #expect(agreed[1].codec.parameters.rendered == "profile-id=0")
        #expect(
            agreed[3].codec.parameters.rendered
                == "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f")
        #expect(agreed[8].codec.parameters.rendered == "level-idx=5;profile=0;tier=0")
    }

    @Test func feedbackNotOfferedIsNotAnswered() throws {
        let agreed = negotiate(
            offered: try section(Fixtures.chromiumOffer, "1"), capabilities: Defaults.roomcast)
        #expect(agreed[2].codec.feedback == ["goog-remb", "nack"])
    }

    /// Subscribers of the track are offered the agreed formats.
    @Test func feedbackThatIsOfferedAgainAndAgainIsAnsweredOnce() throws {
        var offered = try section(Fixtures.chromiumOffer, "1")
        for index in offered.rtp.codecs.indices {
            offered.rtp.codecs[index].feedback += [String](repeating: "nack", count: 900)
        }
        for codec in negotiate(offered: offered, capabilities: Defaults.roomcast).map(\.codec) {
            #expect(codec.feedback.count == Set(codec.feedback).count, "\(codec.name)")
        }
    }

    @Test func vp8EncoderLimitsOfTheOffererAreNotOurs() throws {
        let agreed = negotiate(
            offered: try section(Fixtures.firefoxOffer, "1"), capabilities: Defaults.roomcast)
        #expect(agreed.map { $0.codec.payloadType } == [120, 121, 126, 97])
        #expect(agreed.map { $0.rtxPayloadType } == [124, 125, 127, 98])
        #expect(agreed[0].codec.parameters.isEmpty)
        // No packetization-mode means mode 0.
        #expect(
            agreed[3].codec.parameters.rendered
                == "level-asymmetry-allowed=1;profile-level-id=42e01f")
    }

    @Test func theCapabilitiesOrderIsThePreference() throws {
        let av1First = Defaults.roomcast.sorted { $0.name == "AV1" && $1.name != "AV1" }
        let agreed = negotiate(
            offered: try section(Fixtures.chromiumOffer, "1"), capabilities: av1First)
        #expect(agreed.first?.codec.name == "AV1")
    }

    @Test func theFormatsOfAnAnswerAlternateWithTheirRetransmissions() throws {
        let vp8 = Defaults.roomcast.filter { $0.name == "VP8" }
        let agreed = negotiate(
            offered: try section(Fixtures.chromiumOffer, "1"), capabilities: vp8)
        let formats = agreed.flatMap { $0.descriptions }
        #expect(formats.map { $0.payloadType } == [96, 97])
        #expect(formats[1].associatedPayloadType == 96)
        #expect(formats[1].clockRate == 90_000)
    }

    @Test func aFormatThatTwoCapabilitiesMatchIsAgreedOnce() throws {
        let vp8 = Defaults.roomcast.filter { $0.name == "VP8" }
        let agreed = negotiate(
            offered: try section(Fixtures.chromiumOffer, "1"), capabilities: vp8 + vp8)
        #expect(agreed.count == 1)
    }

    @Test func nothingInCommonAndOtherKindsGiveNothing() throws {
        let data = try section(Fixtures.chromiumOffer, "2")
        #expect(negotiate(offered: data, capabilities: Defaults.roomcast).isEmpty)
        let audio = MediaSection(
            kind: .audio,
            rtp: RTPDescription(codecs: [
                CodecDescription(payloadType: 8, name: "PCMA", clockRate: 8000),
                CodecDescription(payloadType: 96, name: "opus", clockRate: 48_000),
                CodecDescription(payloadType: 97, name: "opus", clockRate: 16_000, channels: 2),
                CodecDescription(payloadType: 98, name: "VP8", clockRate: 90_000),
            ]))
        #expect(negotiate(offered: audio, capabilities: Defaults.roomcast).isEmpty)
    }

    @Test func aCapabilityOfOneProfileTakesItsEquivalentsOnly() {
        let capability = CodecCapability(
            kind: .video, name: "H264", clockRate: 90_000,
            rule: .h264(packetizationMode: 1, profiles: [.constrainedBaseline]))
        func offered(_ profile: String?, mode: String? = "1") -> CodecDescription {
            var codec = CodecDescription(payloadType: 96, name: "h264", clockRate: 90_000)
            codec.parameters["packetization-mode"] = mode
            codec.parameters["profile-level-id"] = profile
            return codec
        }
        #expect(capability.matches(offered("42e01f")))
        #expect(capability.matches(offered("42C00A")))
        #expect(capability.matches(offered("4D8028")))
        #expect(capability.matches(offered("58f01f")))
        #expect(!capability.matches(offered("58401f")))
        #expect(!capability.matches(offered("42001f")))
        #expect(!capability.matches(offered("64001f")))
        #expect(!capability.matches(offered("xyz")))
        #expect(!capability.matches(offered(nil)))
        #expect(!capability.matches(offered("42e01f", mode: nil)))
        #expect(!capability.matches(offered("42e01f", mode: "one")))
    }

    @Test(
        arguments: [
            ("42e01f", .constrainedBaseline, 31), ("42001f", .baseline, 31), ("4d0028", .main, 40),
            ("580014", .extended, 20), ("640c1f", .constrainedHigh, 31), ("640033", .high, 51),
            ("6e001f", .high10, 31), ("7a001f", .high422, 31), ("f4001f", .high444, 31),
            ("58c01f", .constrainedBaseline, 31), ("58801f", .baseline, 31),
        ] as [(String, H264Profile, UInt8)])
    func profilesAreNamedByTheTableOfRFC6184(text: String, profile: H264Profile, level: UInt8) {
        let parsed = H264ProfileLevel(parsing: text)
        #expect(parsed == H264ProfileLevel(profile: profile, levelIDC: level))
    }

    @Test(arguments: ["", "42e01", "42e01ff", "42e01g", "+2e01f", "ff001f", "42e0-1"])
    func whatNamesNoProfileIsNil(text: String) {
        #expect(H264ProfileLevel(parsing: text) == nil)
    }

    @Test func extensionsIntersectUnderTheOfferersIDs() throws {
        let offered = try section(Fixtures.chromiumOffer, "1").rtp.headerExtensions
        let supported = [
            "urn:ietf:params:rtp-hdrext:sdes:mid", "urn:3gpp:video-orientation", "urn:unheard",
        ]
        let agreed = HeaderExtension.intersection(offered: offered, supported: supported)
        #expect(
            agreed == [
                HeaderExtension(id: 13, uri: "urn:3gpp:video-orientation"),
                HeaderExtension(id: 4, uri: "urn:ietf:params:rtp-hdrext:sdes:mid"),
            ])
    }

    @Test func aStatedExtensionDirectionIsTurnedAround() {
        let offered = [
            HeaderExtension(id: 1, uri: "a", direction: .receiveOnly),
            HeaderExtension(id: 2, uri: "b", direction: .inactive),
            HeaderExtension(id: 3, uri: "a"),
        ]
        let agreed = HeaderExtension.intersection(offered: offered, supported: ["a", "b"])
        #expect(agreed == [HeaderExtension(id: 1, uri: "a", direction: .sendOnly)])
    }

    @Test func parametersAreReadReplacedAndRemovedByName() {
        var parameters = FormatParameters(parsing: " minptime = 10; useinbandfec=1;;0-15 ")
        #expect(parameters.rendered == "minptime=10;useinbandfec=1;0-15")
        #expect(parameters["MinPTime"] == "10")
        #expect(parameters["0-15"] == nil)
        parameters["minptime"] = "20"
        parameters["usedtx"] = "1"
        parameters["useinbandfec"] = nil
        #expect(parameters.rendered == "minptime=20;0-15;usedtx=1")
    }
}

@Suite struct PayloadTypeAllocatorTests {
    private let vp8 = CodecDescription(payloadType: 120, name: "VP8", clockRate: 90_000)

    @Test func theSameFormatKeepsItsNumber() {
        var allocator = PayloadTypeAllocator()
        let first = allocator.descriptions(for: vp8, withRetransmission: true)
        #expect(first.map { $0.payloadType } == [96, 97])
        #expect(first[1].associatedPayloadType == 96)
        var again = vp8
        again.payloadType = 45
        again.feedback = ["nack"]
        let second = allocator.descriptions(for: again, withRetransmission: true)
        #expect(second.map { $0.payloadType } == [96, 97])
        #expect(second[0].feedback == ["nack"])
        var other = vp8
        other.parameters["max-fr"] = "30"
        #expect(allocator.payloadType(for: other) == 98)
    }

    @Test func numbersStayOutOfRTCPsWayAndRunOut() {
        var allocator = PayloadTypeAllocator()
        var numbers: [UInt8] = []
        for index in 0..<200 {
            var codec = vp8
            codec.parameters["n"] = String(index)
            if let number = allocator.payloadType(for: codec) { numbers.append(number) }
        }
        #expect(numbers.count == 61)
        #expect(Set(numbers).count == 61)
        #expect(numbers.allSatisfy { !(64...95).contains($0) })
        #expect(allocator.descriptions(for: vp8, withRetransmission: true).isEmpty)
    }

    /// Each of them, answered and forwarded to one subscriber.
    @Test func whateverIsOfferedIsForwardedInFewFormats() throws {
        var allocator = PayloadTypeAllocator()
        let known: Set = [
            "minptime", "useinbandfec", "stereo", "usedtx", "profile-id", "profile-level-id",
            "level-asymmetry-allowed", "packetization-mode", "level-idx", "profile", "tier",
        ]
        var agreedCount = 0
        func offer(_ name: String, _ fmtp: String) throws {
            let isAudio = name.lowercased() == "opus"
            let offered = CodecDescription(
                payloadType: 100, name: name, clockRate: isAudio ? 48_000 : 90_000,
                channels: isAudio ? 2 : nil, parameters: FormatParameters(parsing: fmtp))
            let section = MediaSection(
                kind: isAudio ? .audio : .video, mid: "0", rtp: RTPDescription(codecs: [offered]))
            let agreed = negotiate(offered: section, capabilities: Defaults.roomcast)
            guard let codec = agreed.first?.codec else { return }
            agreedCount += 1
            #expect(known.isSuperset(of: codec.parameters.elements.map(\.name)), "\(fmtp)")
            let capability = try #require(Defaults.roomcast.first { $0.matches(codec) })
            let forwarded = capability.forwarded(codec)
            #expect(capability.matches(forwarded))
            let formats = allocator.descriptions(for: forwarded, withRetransmission: !isAudio)
            #expect(formats.count == (isAudio ? 1 : 2), "\(name) \(fmtp)")
        }
        let flags = ["", "0", "1", "2", "7", "01", "-1", "x", "1 a=b", "99999999999999999999"]
        for (a, b) in flags.flatMap({ a in flags.map { (a, $0) } }) {
            try offer("opus", "stereo=\(a);usedtx=\(b);maxaveragebitrate=\(a)\(b)")
            try offer("OPUS", "useDTX=\(b);STEREO=\(a);\(a)=\(b);useinbandfec=\(a)")
            try offer("VP8", "max-fs=\(a);x=\(b)")
            try offer("VP9", "profile-id=\(a);x=\(b)")
            try offer("AV1", "profile=\(a);tier=\(b);level-idx=\(a)")
            try offer("AV1", "tier=\(b);level-idx=\(a)")
            try offer("H264", "packetization-mode=\(a);level-asymmetry-allowed=\(b)")
        }
        let bytes = UInt8.min...UInt8.max
        for (constraints, level) in bytes.flatMap({ c in bytes.map { (c, $0) } }) {
            let profile: UInt8 = [0x42, 0x4d, 0x58, 0x64, 0x6e, 0x7a, 0xf4][Int(level % 7)]
            let id = Hexadecimal.text([profile, constraints, level])
            try offer(level % 2 == 0 ? "H264" : "h264", "profile-level-id=\(id)")
            try offer("H264", "packetization-mode=1;profile-level-id=\(id.uppercased())")
        }
        #expect(agreedCount > 1000)
        try offer("VP8", "")
    }

    @Test func whatAnOffererMayNotStateIsNotRepeated() throws {
        let capability = try #require(Defaults.roomcast.first)
        for (stated, answered) in [
            ("stereo=7", ""), ("STEREO=1", ";stereo=1"),
            ("usedtx=1;stereo=01", ";stereo=1;usedtx=1"),
            ("usedtx=x;maxaveragebitrate=1", ""), ("stereo", ""),
        ] {
            let opus = CodecDescription(
                payloadType: 111, name: "Opus", clockRate: 48_000, channels: 2,
                parameters: FormatParameters(parsing: stated))
            let section = MediaSection(kind: .audio, mid: "0", rtp: RTPDescription(codecs: [opus]))
            let codec = try #require(
                negotiate(offered: section, capabilities: [capability]).first
            ).codec
            #expect(codec.parameters.rendered == "minptime=10;useinbandfec=1" + answered)
            #expect(codec.name == "opus")
        }
    }

    /// RFC 6184 sect. 8.2.2: a sender leaves out what it has of a profile that was not offered.
    @Test func eachUsualProfileOfH264IsOfferedToBeReceived() {
        var allocator = PayloadTypeAllocator()
        let formats = allocator.descriptions(receiving: Defaults.roomcast, kind: .video)
        let h264 = formats.filter { $0.isNamed("H264") }
        for mode in ["1", "0"] {
            let profiles = h264.filter { $0.parameters["packetization-mode"] == mode }
                .map { $0.parameters["profile-level-id"] }
            #expect(profiles == ["42e01f", "42001f", "4d001f", "640c1f", "64001f"])
        }
        #expect(Set(formats.map(\.payloadType)).count == formats.count)
        let section = MediaSection(kind: .video, rtp: RTPDescription(codecs: formats))
        let agreed = negotiate(offered: section, capabilities: Defaults.roomcast)
        #expect(agreed.flatMap { $0.descriptions }.map(\.payloadType) == formats.map(\.payloadType))
        #expect(allocator.descriptions(receiving: Defaults.roomcast, kind: .audio).count == 2)
    }

    @Test func everyDefaultCapabilityAcceptsItsOwnOffer() {
        var allocator = PayloadTypeAllocator()
        for kind in [MediaSection.Kind.audio, .video] {
            let formats = allocator.descriptions(offering: Defaults.roomcast, kind: kind)
            let section = MediaSection(kind: kind, rtp: RTPDescription(codecs: formats))
            let agreed = negotiate(offered: section, capabilities: Defaults.roomcast)
            #expect(
                agreed.flatMap { $0.descriptions }.map { $0.payloadType }
                    == formats.map { $0.payloadType })
            let expected = Defaults.roomcast.count { $0.kind == kind }
            #expect(agreed.count == expected)
        }
    }
}
