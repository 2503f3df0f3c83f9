extension MediaSection {
    /// The lines of the section without their ends, in the order RFC 8866 sect. 5 prescribes.
    func lines(sessionAllowsMixedExtensions: Bool) -> [String] {
        var lines = [mediaLine]
        lines += otherLines(ofType: "i")
        lines.append("c=\(connection)")
        lines += bandwidths.map { "b=\($0.type):\($0.value)" }
        lines += otherLines(ofType: "k")
        var attributes = ice.attributes + dtls.attributes
        attributes += identityAttributes
        attributes += rtp.attributes(sessionAllowsMixedExtensions: sessionAllowsMixedExtensions)
        attributes += sctp.attributes
        attributes += self.attributes.map { $0.rendered }
        return lines + attributes.map { "a=" + $0 }
    }

    private var mediaLine: String {
        var formats = rtp.codecs.map { String($0.payloadType) } + otherFormats
        // A section needs at least one format, even if no codec is left.
        if formats.isEmpty { formats = [kind == .application ? Self.dataChannelFormat : "0"] }
        return "m=\(kind.name) \(port) \(proto) " + formats.joined(separator: " ")
    }

    private func otherLines(ofType type: Character) -> [String] {
        otherLines.filter { $0.type == type }.map { "\($0.type)=\($0.value)" }
    }

    private var identityAttributes: [String] {
        var lines: [String] = []
        if let mid { lines.append("mid:\(mid)") }
        if isBundleOnly { lines.append("bundle-only") }
        // A data channel has no direction; browsers leave the line out.
        if kind != .application || direction != .sendReceive { lines.append(direction.rawValue) }
        lines += rtp.msids.map { "msid:\($0.rendered)" }
        return lines
    }
}
