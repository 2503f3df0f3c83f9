extension MediaSection {
    /// The lines of the section without their ends, in the order RFC 8866 sect. 5 prescribes.
    func lines(sessionAllowsMixedExtensions: Bool) -> [String] {
        var lines = [mediaLine]
        lines += otherLines(ofType: "i")
        lines.append("c=\(connection)")
        lines += bandwidths.map { "b=\($0.type):\($0.value)" }
        lines += otherLines(ofType: "k")
        var attributes = transportAttributes
        attributes += identityAttributes
        if allowsMixedExtensions, !sessionAllowsMixedExtensions {
            attributes.append("extmap-allow-mixed")
        }
        attributes += headerExtensions.map { $0.rendered }
        if hasRTCPMux { attributes.append("rtcp-mux") }
        if hasReducedSizeRTCP { attributes.append("rtcp-rsize") }
        attributes += codecs.flatMap { $0.attributes }
        attributes += sourceAttributes
        if let sctpPort { attributes.append("sctp-port:\(sctpPort)") }
        if let maxMessageSize { attributes.append("max-message-size:\(maxMessageSize)") }
        attributes += self.attributes.map { $0.rendered }
        return lines + attributes.map { "a=" + $0 }
    }

    private var mediaLine: String {
        var formats = codecs.map { String($0.payloadType) } + otherFormats
        // A section needs at least one format, even if no codec is left.
        if formats.isEmpty { formats = [kind == .application ? Self.dataChannelFormat : "0"] }
        return "m=\(kind.name) \(port) \(proto) " + formats.joined(separator: " ")
    }

    private func otherLines(ofType type: Character) -> [String] {
        otherLines.filter { $0.type == type }.map { "\($0.type)=\($0.value)" }
    }

    private var transportAttributes: [String] {
        var lines = candidates
        if hasEndOfCandidates { lines.append("end-of-candidates") }
        if let iceUsernameFragment { lines.append("ice-ufrag:\(iceUsernameFragment)") }
        if let icePassword { lines.append("ice-pwd:\(icePassword)") }
        if !iceOptions.isEmpty {
            lines.append("ice-options:" + iceOptions.joined(separator: " "))
        }
        lines += fingerprints.map { "fingerprint:\($0.algorithm) \($0.value)" }
        if let setup { lines.append("setup:\(setup.rawValue)") }
        return lines
    }

    private var identityAttributes: [String] {
        var lines: [String] = []
        if let mid { lines.append("mid:\(mid)") }
        if isBundleOnly { lines.append("bundle-only") }
        // A data channel has no direction; browsers leave the line out.
        if kind != .application || direction != .sendReceive { lines.append(direction.rawValue) }
        lines += msids.map { "msid:\($0.rendered)" }
        return lines
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
