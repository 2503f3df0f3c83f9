/// What a section says about RTP and RTCP.
public struct RTPDescription: Hashable, Sendable {
    public var hasRTCPMux: Bool
    public var hasReducedSizeRTCP: Bool
    /// In the order of the `m=` line: the writer's preference.
    public var codecs: [CodecDescription]
    public var headerExtensions: [HeaderExtension]
    /// One- and two-byte extensions may be mixed. RFC 8285 sect. 6.
    public var allowsMixedExtensions: Bool
    public var msids: [MediaStreamIdentifier]
    public var sources: [MediaSource]
    public var sourceGroups: [SourceGroup]
    public var rids: [RestrictionIdentifier]
    public var simulcast: Simulcast?

    public init(
        hasRTCPMux: Bool = true, hasReducedSizeRTCP: Bool = false,
        codecs: [CodecDescription] = [], headerExtensions: [HeaderExtension] = [],
        allowsMixedExtensions: Bool = false, msids: [MediaStreamIdentifier] = [],
        sources: [MediaSource] = [], sourceGroups: [SourceGroup] = [],
        rids: [RestrictionIdentifier] = [], simulcast: Simulcast? = nil
    ) {
        self.hasRTCPMux = hasRTCPMux
        self.hasReducedSizeRTCP = hasReducedSizeRTCP
        self.codecs = codecs
        self.headerExtensions = headerExtensions
        self.allowsMixedExtensions = allowsMixedExtensions
        self.msids = msids
        self.sources = sources
        self.sourceGroups = sourceGroups
        self.rids = rids
        self.simulcast = simulcast
    }

    /// All lines but those of the `msid`s, which come earlier.
    func attributes(sessionAllowsMixedExtensions: Bool) -> [String] {
        var lines: [String] = []
        if allowsMixedExtensions, !sessionAllowsMixedExtensions {
            lines.append("extmap-allow-mixed")
        }
        lines += headerExtensions.map { $0.rendered }
        if hasRTCPMux { lines.append("rtcp-mux") }
        if hasReducedSizeRTCP { lines.append("rtcp-rsize") }
        lines += codecs.flatMap { $0.attributes }
        return lines + sourceAttributes
    }

    private var sourceAttributes: [String] {
        var lines = sourceGroups.map { group in
            "ssrc-group:\(group.semantics) "
                + group.ssrcs.map { String($0) }.joined(separator: " ")
        }
        for source in sources {
            if let cname = source.cname { lines.append("ssrc:\(source.ssrc) cname:\(cname)") }
            if let msid = source.msid { lines.append("ssrc:\(source.ssrc) msid:\(msid.rendered)") }
            lines += source.attributes.map { "ssrc:\(source.ssrc) \($0.rendered)" }
        }
        lines += rids.map { $0.rendered }
        if let simulcast { lines.append(simulcast.rendered) }
        return lines
    }
}

extension CodecDescription {
    /// `rtpmap`, then `rtcp-fb`, then `fmtp`: the order browsers use.
    fileprivate var attributes: [String] {
        let channels = channels.map { "/\($0)" } ?? ""
        var lines = ["rtpmap:\(payloadType) \(name)/\(clockRate)\(channels)"]
        lines += feedback.map { "rtcp-fb:\(payloadType) \($0)" }
        if !parameters.isEmpty { lines.append("fmtp:\(payloadType) \(parameters.rendered)") }
        return lines
    }
}
