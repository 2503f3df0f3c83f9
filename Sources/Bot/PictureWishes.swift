import Pipeline
import Stage

/// Which images are to be fetched, and how large they are to be: those that the layout names may
/// fill the canvas, those of peers are shown in a circle.
///
/// Every change gives what is to be fetched that was not before.
struct PictureWishes {
    struct Wish: Hashable {
        var address: PictureAddress
        /// Pixels of the longer side; larger images are scaled down.
        var sideMaximum: Int
    }

    /// Images at a time, to which the layout's two may come. More than a stage has tiles.
    static let addressesMaximum = 50
    /// The largest canvas.
    static let layoutSide = 1920
    /// Half of a canvas' height, which a placeholder's circle has: 1 MiB at most for each peer.
    static let peerSide = 512

    private let hosts: PictureHosts
    private var ofPeers: Set<String> = []
    private var ofLayout: Set<String> = []
    /// Being fetched, shown or given up, and how large.
    private var known: [String: Int] = [:]

    init(hosts: PictureHosts, layout: Layout) {
        self.hosts = hosts
        ofLayout = Set(layout.images)
    }

    /// Of those who publish: nobody else has a tile.
    mutating func roomChanged(_ peers: [SourcePeer]) -> [Wish] {
        ofPeers = Set(peers.filter { !$0.tracks.isEmpty }.compactMap(\.picture))
        return changes()
    }

    mutating func layoutChanged(_ layout: Layout) -> [Wish] {
        ofLayout = Set(layout.images)
        return changes()
    }

    mutating func changes() -> [Wish] {
        known = known.filter { ofLayout.contains($0.key) || ofPeers.contains($0.key) }
        var wishes: [Wish] = []
        // The layout's first: there are two at most, and everybody sees them.
        for text in ofLayout.sorted() + ofPeers.subtracting(ofLayout).sorted() {
            let side = ofLayout.contains(text) ? Self.layoutSide : Self.peerSide
            // One that is there and is larger than it needs to be may stay as it is.
            let isNew = known[text] == nil
            let hasRoom = ofLayout.contains(text) || known.count < Self.addressesMaximum
            guard isNew ? hasRoom : known[text, default: 0] < side,
                // Participants may name what they like; what is not listed is nobody's business.
                let address = hosts.allowed(text)
            else { continue }
            known[text] = side
            wishes.append(Wish(address: address, sideMaximum: side))
        }
        return wishes
    }

    /// Whether it is still wanted in that size.
    func isWanted(_ wish: Wish) -> Bool { known[wish.address.text] == wish.sideMaximum }
}
