import RTP

/// The header extensions negotiated for one transport. RFC 8285: one id space per bundle.
struct NegotiatedExtensions {
    /// By URI.
    private(set) var ids: [String: UInt8] = [:]
    // Cached because each packet needs them.
    private(set) var transportSequence: UInt8?
    private(set) var audioLevel: UInt8?
    private(set) var mid: UInt8?
    private(set) var rid: UInt8?
    private(set) var repairedRid: UInt8?

    mutating func agree(_ uri: String, id: UInt8) {
        ids[uri] = id
        switch uri {
        case HeaderExtensionURI.transportSequence: transportSequence = id
        case HeaderExtensionURI.audioLevel: audioLevel = id
        case HeaderExtensionURI.mid: mid = id
        case HeaderExtensionURI.rid: rid = id
        case HeaderExtensionURI.repairedRid: repairedRid = id
        default: break
        }
    }

    /// Marks a packet with its mid and rid. RFC 8852, RFC 9143 sect. 14.
    func name(
        _ packet: inout RTPPacket, of stream: OutboundStream, layer rid: String, by id: UInt8?
    ) {
        if let mid { packet.extensions.set(mid, stream.mid.utf8) }
        if let id { packet.extensions.set(id, rid.utf8) }
    }
}
