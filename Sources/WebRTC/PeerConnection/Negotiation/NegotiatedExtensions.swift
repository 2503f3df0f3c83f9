import RTP

/// Header extensions as agreed upon for one transport. RFC 8285: one space of ids per bundle.
struct NegotiatedExtensions {
    /// By URI.
    private(set) var ids: [String: UInt8] = [:]
    // At hand, since each packet asks for them.
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
}
