/// One `m=` line and the lines that belong to it. RFC 8866 sect. 5.14, RFC 9429 sect. 5.2.
///
/// Attributes that a description states once for all sections (ICE, fingerprints, setup,
/// extensions, direction, connection) are folded into every section by the parser, so a section
/// can be read on its own. What has no typed field is kept in `attributes`, in order.
public struct MediaSection: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case audio
        case video
        /// A data channel association.
        case application
        /// `text`, `message`, … : parsed, so that it can be rejected in an answer.
        case other(String)

        public init(_ name: String) {
            switch name {
            case "audio": self = .audio
            case "video": self = .video
            case "application": self = .application
            default: self = .other(name)
            }
        }

        public var name: String {
            switch self {
            case .audio: return "audio"
            case .video: return "video"
            case .application: return "application"
            case .other(let name): return name
            }
        }
    }

    public var kind: Kind
    /// 9 (discard) while ICE decides, 0 when rejected or bundle-only.
    public var port: UInt16
    /// `UDP/TLS/RTP/SAVPF` or `UDP/DTLS/SCTP`.
    public var proto: String
    /// Formats of the `m=` line that are not in `rtp.codecs`: `webrtc-datachannel`, or a payload
    /// type that no `rtpmap` explains.
    public var otherFormats: [String]
    /// `<nettype> <addrtype> <address>`. Ignored where ICE is used.
    public var connection: String
    public var bandwidths: [Bandwidth]

    /// The `mid`; nil in descriptions of before BUNDLE.
    public var mid: String?
    public var direction: MediaDirection
    /// `a=bundle-only`: a port of 0 is then no rejection. RFC 9143 sect. 6.
    public var isBundleOnly: Bool

    public var ice: ICEDescription
    public var dtls: DTLSDescription
    public var rtp: RTPDescription
    public var sctp: SCTPDescription

    public var attributes: [SDPAttribute]
    public var otherLines: [SDPOtherLine]

    public static let rtpProtocol = "UDP/TLS/RTP/SAVPF"
    public static let sctpProtocol = "UDP/DTLS/SCTP"
    public static let dataChannelFormat = "webrtc-datachannel"

    /// A section as WebRTC writes it, with nothing negotiated yet. The protocol, the formats and
    /// whether RTP and RTCP share a port follow from the kind when they are not given.
    public init(
        kind: Kind, mid: String? = nil, direction: MediaDirection = .sendReceive,
        port: UInt16 = 9, proto: String? = nil, otherFormats: [String]? = nil,
        connection: String = "IN IP4 0.0.0.0", bandwidths: [Bandwidth] = [],
        isBundleOnly: Bool = false, ice: ICEDescription = ICEDescription(),
        dtls: DTLSDescription = DTLSDescription(), rtp: RTPDescription? = nil,
        sctp: SCTPDescription = SCTPDescription(), attributes: [SDPAttribute] = [],
        otherLines: [SDPOtherLine] = []
    ) {
        let isData = kind == .application
        self.kind = kind
        self.port = port
        self.proto = proto ?? (isData ? Self.sctpProtocol : Self.rtpProtocol)
        self.otherFormats = otherFormats ?? (isData ? [Self.dataChannelFormat] : [])
        self.connection = connection
        self.bandwidths = bandwidths
        self.mid = mid
        self.direction = direction
        self.isBundleOnly = isBundleOnly
        self.ice = ice
        self.dtls = dtls
        self.rtp = rtp ?? RTPDescription(hasRTCPMux: !isData)
        self.sctp = sctp
        self.attributes = attributes
        self.otherLines = otherLines
    }

    /// Port 0 and not bundle-only: the other side does not want this section, or it is over and
    /// may be used again for another track. RFC 9429 sect. 5.2.2.
    public var isRejected: Bool { port == 0 && !isBundleOnly }

    /// The answer that refuses an offered section: the same kind, protocol and formats, because
    /// sections are matched by position. RFC 3264 sect. 6.
    public static func rejection(of offered: MediaSection) -> MediaSection {
        var formats = offered.otherFormats
        if formats.isEmpty {
            formats = [offered.rtp.codecs.first.map { "\($0.payloadType)" } ?? "0"]
        }
        return MediaSection(
            kind: offered.kind, mid: offered.mid, direction: .inactive, port: 0,
            proto: offered.proto, otherFormats: formats,
            rtp: RTPDescription(hasRTCPMux: false))
    }
}
