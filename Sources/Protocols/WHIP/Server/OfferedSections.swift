internal import SDP

/// What the server can do with the sections of a client's offer.
extension SessionDescription {
    /// Why this section cannot carry media; nil if it can.
    func obstacle(in section: MediaSection) -> String? {
        let kind = section.kind.name
        guard let mid = section.mid, bundledMIDs.contains(mid) else {
            return "the section of \(kind) is not in a=group:BUNDLE"
        }
        guard section.rtp.hasRTCPMux else {
            return "the section of \(kind) has no a=rtcp-mux"
        }
        guard negotiate(offered: section, capabilities: Defaults.roomcast).isEmpty else {
            return nil
        }
        let known = Defaults.roomcast.lazy.filter { $0.kind == section.kind }.map(\.name)
        let offered = section.rtp.codecs.lazy.filter { $0.associatedPayloadType == nil }.map {
            [$0.name, $0.parameters.rendered].filter { !$0.isEmpty }.joined(separator: " ")
        }
        return "\(kind) is supported in \(Self.list(known)); the offer has \(Self.list(offered))"
    }

    private static let listMaximum = 200

    /// Each word once, and no more letters than an error needs.
    private static func list(_ words: some Sequence<String>) -> String {
        var seen: Set<String> = []
        let list = words.filter { seen.insert($0).inserted }.joined(separator: ", ")
        return list.isEmpty ? "none of them" : String(list.prefix(listMaximum))
    }

    /// Turns each direction into what the client does: publishing, or playing. A client may offer
    /// both (RFC 9725 sect. 4.2), as browsers and aiortc do for a track that is simply added.
    mutating func narrow(toSending isSending: Bool) {
        for index in media.indices where media[index].kind != .application {
            let direction = media[index].direction
            media[index].direction = MediaDirection(
                sends: direction.sends && isSending, receives: direction.receives && !isSending)
        }
    }
}
