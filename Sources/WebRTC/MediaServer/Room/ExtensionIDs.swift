import PeerConnection

/// What the header extensions that pass are called: a publisher's ids and a subscriber's. Those that
/// speak of the media itself pass; those that speak of one transport do not.
struct ExtensionIDs: Equatable {
    /// From and to, a byte each, for each extension: compared for every packet and subscriber.
    private var pairs: UInt64 = 0

    init(from publisher: PeerConnection, to subscriber: PeerConnection) {
        for uri in OutgoingTrack.forwardedExtensions {
            guard let from = publisher.headerExtensions[uri],
                let to = subscriber.headerExtensions[uri]
            else { continue }
            pairs = pairs << 16 | UInt64(from) << 8 | UInt64(to)
        }
    }

    /// What the subscriber calls what the publisher calls so; nil for what does not pass.
    func id(for id: UInt8) -> UInt8? {
        var rest = pairs
        while rest != 0 {
            if UInt8(rest >> 8 & 0xFF) == id { return UInt8(rest & 0xFF) }
            rest >>= 16
        }
        return nil
    }
}
