/// A codec that this side supports, and its requirements on the other side's format.
public struct CodecCapability: Hashable, Sendable {
    /// The properties that must agree beyond name, clock rate and channels. These formats share a
    /// name but not a bitstream or a packetization, so a mismatch is not a common codec.
    public enum Rule: Hashable, Sendable {
        /// Nothing more.
        case nameOnly
        /// RFC 6184 sect. 8.2.2: the mode and the profile are symmetric, the level is not.
        /// `profiles` nil takes any.
        case h264(packetizationMode: Int, profiles: Set<H264Profile>? = nil)
        /// RFC 9628 sect. 6: `profile-id`, 0 when not stated.
        case vp9(profile: Int)
        /// AV1 RTP specification sect. 7.2.3: `profile`, 0 when not stated; level and tier may
        /// differ.
        case av1(profile: Int)
    }

    /// `.audio` or `.video`.
    public var kind: MediaSection.Kind
    public var name: String
    public var clockRate: Int
    public var channels: Int?
    public var rule: Rule
    /// The parameters that this side states in an answer or an offer.
    public var parameters: FormatParameters
    /// Parameters that an answer repeats from the offer, in this order.
    public var echoedParameters: [EchoedParameter]
    /// The RTCP feedback this side understands.
    public var feedback: [String]
    /// Whether lost packets may be repeated in an RTX stream. RFC 4588.
    public var allowsRetransmission: Bool

    public init(
        kind: MediaSection.Kind, name: String, clockRate: Int, channels: Int? = nil,
        rule: Rule = .nameOnly, parameters: FormatParameters = [],
        echoedParameters: [EchoedParameter] = [], feedback: [String] = [],
        allowsRetransmission: Bool = false
    ) {
        self.kind = kind
        self.name = name
        self.clockRate = clockRate
        self.channels = channels
        self.rule = rule
        self.parameters = parameters
        self.echoedParameters = echoedParameters
        self.feedback = feedback
        self.allowsRetransmission = allowsRetransmission
    }

    /// Whether an offered format is this codec.
    public func matches(_ codec: CodecDescription) -> Bool {
        guard codec.isNamed(name), codec.clockRate == clockRate,
            (codec.channels ?? 1) == (channels ?? 1)
        else { return false }
        switch rule {
        case .nameOnly:
            return true
        case .h264(let packetizationMode, let profiles):
            guard Self.number(codec, "packetization-mode") == packetizationMode else {
                return false
            }
            guard let profile = H264ProfileLevel(of: codec)?.profile else { return false }
            return profiles?.contains(profile) ?? true
        case .vp9(let profile):
            return Self.number(codec, "profile-id") == profile
        case .av1(let profile):
            return Self.number(codec, "profile") == profile
        }
    }

    /// The value of a numeric parameter, 0 by default; nil if it is not a number.
    private static func number(_ codec: CodecDescription, _ name: String) -> Int? {
        guard let text = codec.parameters[name] else { return 0 }
        return text[...].decimal()
    }

    /// The answer to an offered format, under the offerer's payload type.
    func answer(to offered: CodecDescription) -> CodecDescription {
        var parameters = parameters
        for echoed in echoedParameters {
            guard let value = offered.parameters[echoed.name].flatMap(echoed.checked) else {
                continue
            }
            parameters[echoed.name] = value
        }
        // Each once: the agreed format is offered to every receiver.
        var named: Set<String> = []
        return CodecDescription(
            payloadType: offered.payloadType, name: name, clockRate: clockRate,
            channels: channels, parameters: parameters,
            feedback: offered.feedback.filter {
                feedback.contains($0) && named.insert($0).inserted
            })
    }

    /// The format under which to offer received media to others.
    ///
    /// One of a few formats, whatever the sender states: a connection has 61 payload types for all
    /// the media it carries. So the format identifies the bitstream but not the picture size, which
    /// does not affect the choice of a decoder: H.264 and AV1 get level 3.1, as in browsers'
    /// offers.
    public func forwarded(_ agreed: CodecDescription) -> CodecDescription {
        var format = offer
        for echoed in echoedParameters where echoed.values == .flag {
            if agreed.parameters[echoed.name] == "1" { format.parameters[echoed.name] = "1" }
        }
        if case .h264 = rule, let profile = H264ProfileLevel(of: agreed)?.profile {
            format.parameters["profile-level-id"] = profile.idAtLevel31
        }
        format.payloadType = agreed.payloadType
        format.feedback = agreed.feedback
        return format
    }
}

/// What Roomcast negotiates when nothing else is configured.
public enum Defaults {
    /// Opus; VP8 first among the video codecs, because every browser has it.
    public static let roomcast: [CodecCapability] = [
        CodecCapability(
            kind: .audio, name: "opus", clockRate: 48_000, channels: 2,
            parameters: [
                FormatParameter("minptime", "10"), FormatParameter("useinbandfec", "1"),
            ],
            // Preferences of the offerer's page, which the forwarded stream should meet.
            echoedParameters: [.flag("stereo"), .flag("usedtx")],
            // Browsers have no RTX for audio; Roomcast's own clients do.
            feedback: ["transport-cc", "nack"], allowsRetransmission: true),
        video("VP8"),
        video("VP9", .vp9(profile: 0), echoing: [.number("profile-id", 0...3)]),
        video("VP9", .vp9(profile: 2), echoing: [.number("profile-id", 0...3)]),
        video("H264", .h264(packetizationMode: 1), echoing: h264Parameters),
        video("H264", .h264(packetizationMode: 0), echoing: h264Parameters),
        video(
            "AV1", .av1(profile: 0),
            echoing: [.number("level-idx", 0...31), .number("profile", 0...2), .flag("tier")]),
    ]

    /// In the order in which browsers write them.
    public static let videoFeedback = [
        "goog-remb", "transport-cc", "ccm fir", "nack", "nack pli",
    ]

    private static let h264Parameters: [EchoedParameter] = [
        .flag("level-asymmetry-allowed"), .number("packetization-mode", 0...1),
        EchoedParameter("profile-level-id", .h264ProfileLevel),
    ]

    private static func video(
        _ name: String, _ rule: CodecCapability.Rule = .nameOnly, echoing: [EchoedParameter] = []
    ) -> CodecCapability {
        CodecCapability(
            kind: .video, name: name, clockRate: 90_000, rule: rule, echoedParameters: echoing,
            feedback: videoFeedback, allowsRetransmission: true)
    }
}
