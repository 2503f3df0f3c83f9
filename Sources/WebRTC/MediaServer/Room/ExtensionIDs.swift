import PeerConnection

/// Maps a publisher's header extension ids to a subscriber's. Extensions that describe the media
/// are forwarded; extensions that describe a single transport are not.
struct ExtensionIDs: Equatable {
    /// One byte for the publisher's id and one for the subscriber's, per extension. Compact because
    /// it is compared for every packet and subscriber.
    private var pairs: UInt64 = 0

    init(from publisher: PeerConnection, to subscriber: PeerConnection) {
        for uri in OutgoingTrack.forwardedExtensions {
            guard let from = publisher.headerExtensions[uri],
                let to = subscriber.headerExtensions[uri]
            else { continue }
            pairs = pairs << 16 | UInt64(from) << 8 | UInt64(to)
        }
    }

    /// The subscriber's id for a publisher's id; nil if the extension is not forwarded.
    func id(for id: UInt8) -> UInt8? {
        var rest = pairs
        while rest != 0 {
            if UInt8(rest >> 8 & 0xFF) == id { return UInt8(rest & 0xFF) }
            rest >>= 16
        }
        return nil
    }
}
