/// A codec that this side can take part in, and what it asks of the other side's format.
public struct CodecCapability: Hashable, Sendable {
    /// What must agree beyond name, clock rate and channels. These formats share a name but not
    /// a bitstream or a packetization, so a mismatch is no common codec.
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
    /// What this side states of itself in an answer or an offer.
    public var parameters: FormatParameters
    /// Parameters that an answer repeats as the offer has them.
    public var echoedParameters: [String]
    /// The RTCP feedback this side understands.
    public var feedback: [String]
    /// Whether lost packets may be repeated in an RTX stream. RFC 4588.
    public var allowsRetransmission: Bool

    public init(
        kind: MediaSection.Kind, name: String, clockRate: Int, channels: Int? = nil,
        rule: Rule = .nameOnly, parameters: FormatParameters = [],
        echoedParameters: [String] = [], feedback: [String] = [],
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
            guard let profiles else { return true }
            guard let text = codec.parameters["profile-level-id"] else {
                return profiles.contains(H264ProfileLevel.unstated.profile)
            }
            return H264ProfileLevel(parsing: text).map { profiles.contains($0.profile) } ?? false
        case .vp9(let profile):
            return Self.number(codec, "profile-id") == profile
        case .av1(let profile):
            return Self.number(codec, "profile") == profile
        }
    }

    /// The value of a numeric parameter, whose default is 0; nil when it is no number.
    private static func number(_ codec: CodecDescription, _ name: String) -> Int? {
        guard let text = codec.parameters[name] else { return 0 }
        return text[...].decimal()
    }

    /// The format to answer an offered one with, under the offerer's payload type.
    func answer(to offered: CodecDescription) -> CodecDescription {
        var parameters = parameters
        for parameter in offered.parameters.elements
        where echoedParameters.contains(parameter.name.lowercased()) {
            parameters[parameter.name] = parameter.value
        }
        return CodecDescription(
            payloadType: offered.payloadType, name: offered.name, clockRate: offered.clockRate,
            channels: offered.channels, parameters: parameters,
            feedback: offered.feedback.filter { feedback.contains($0) })
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
            // Wishes of the offerer's page, which the forwarded stream should fulfil.
            echoedParameters: ["stereo", "usedtx"],
            feedback: ["transport-cc", "nack"]),
        video("VP8"),
        video("VP9", .vp9(profile: 0), echoing: ["profile-id"]),
        video("VP9", .vp9(profile: 2), echoing: ["profile-id"]),
        video("H264", .h264(packetizationMode: 1), echoing: h264Parameters),
        video("H264", .h264(packetizationMode: 0), echoing: h264Parameters),
        video("AV1", .av1(profile: 0), echoing: ["level-idx", "profile", "tier"]),
    ]

    /// In the order in which browsers write them.
    public static let videoFeedback = [
        "goog-remb", "transport-cc", "ccm fir", "nack", "nack pli",
    ]

    private static let h264Parameters = [
        "level-asymmetry-allowed", "packetization-mode", "profile-level-id",
    ]

    private static func video(
        _ name: String, _ rule: CodecCapability.Rule = .nameOnly, echoing: [String] = []
    ) -> CodecCapability {
        CodecCapability(
            kind: .video, name: name, clockRate: 90_000, rule: rule, echoedParameters: echoing,
            feedback: videoFeedback, allowsRetransmission: true)
    }
}
