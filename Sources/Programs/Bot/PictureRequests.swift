import MediaKernel
import Pipeline
import Stage

/// The images to fetch, in which order and at which size: the layout's may fill the canvas, peers'
/// are shown in a circle.
///
/// If peers name more images than are allowed at a time, peers with a tile come first, then peers
/// whose image is already known (those with the most recent tile first), then the rest in the order
/// of joining.
struct PictureRequests {
    struct Wish: Hashable {
        var address: PictureAddress
        /// Pixels of the longer side; larger images are scaled down.
        var sideMaximum: Int
    }

    private enum Progress { case waiting, underWay, resting, over }

    private struct Entry {
        let wish: Wish
        var progress = Progress.waiting
        var failures = 0
        /// Whether an image of the address is shown, if a smaller one.
        var isShown = false
        /// The number of the latest arrangement in which its peer had a tile.
        var seen = 0
    }

    /// The most images at a time, apart from the layout's three. More than a stage has tiles.
    static let addressesMaximum = 50
    /// The largest canvas.
    static let layoutSide = 1920
    /// Half of a canvas' height, the size of a placeholder's circle: at most 1 MiB per peer.
    static let peerSide = 512

    private let hosts: WebHosts
    private var ofLayout: [PictureAddress] = []
    /// Those among them that are needed as large as the canvas.
    private var large: Set<String> = []
    /// Images of publishing peers, in the order of joining.
    private var ofPeers: [(peer: PeerID, address: PictureAddress)] = []
    /// The images that any peer in the room names.
    private var inRoom: Set<String> = []
    /// The peers with a tile.
    private var stage: [PeerID] = []
    private var known: [String: Entry] = [:]
    /// The known addresses, the most urgent first.
    private var order: [String] = []
    private var arrangements = 0

    init(hosts: WebHosts, layout: Layout) {
        self.hosts = hosts
        _ = layoutChanged(layout)
    }

    // MARK: What is wanted

    // Each change returns the addresses whose images are no longer kept, although a peer in the
    // room still names them.

    /// Considers publishing peers only: no other peer has a tile.
    mutating func roomChanged(_ peers: [SourcePeer]) -> [String] {
        inRoom = Set(peers.compactMap(\.picture))
        ofPeers = peers.filter { !$0.tracks.isEmpty }
            .sorted { ($0.joinedAt, $0.id) < ($1.joinedAt, $1.id) }
            .compactMap { peer in
                peer.picture.flatMap(hosts.allowed).map { (peer: peer.id, address: .web($0)) }
            }
        return arrange()
    }

    mutating func tilesChanged(_ tiles: [PlacedTile]) -> [String] {
        let peers = tiles.map(\.peer)
        guard peers != stage else { return [] }
        stage = peers
        return arrange()
    }

    mutating func layoutChanged(_ layout: Layout) -> [String] {
        ofLayout = layout.images.compactMap { PictureAddress($0, listed: hosts) }
        large = Set(layout.largeImages)
        return arrange()
    }

    private mutating func arrange() -> [String] {
        arrangements += 1
        let everywhere = Set(ofLayout.map(\.text))
        let seen = Set(addressesOnStage.map(\.text))
        let peers = peersAddresses.filter { !everywhere.contains($0.text) }
        // The layout's first: there are at most three, and every viewer sees them.
        let chosen = Self.unique(ofLayout) + peers.prefix(Self.addressesMaximum)
        order = chosen.map(\.text)
        var next: [String: Entry] = [:]
        for address in chosen {
            let side = large.contains(address.text) ? Self.layoutSide : Self.peerSide
            var entry = Entry(wish: Wish(address: address, sideMaximum: side))
            if let before = known[address.text] {
                // An existing image that is larger than needed may stay.
                if before.wish.sideMaximum >= side { entry = before }
                entry.isShown = before.isShown
                entry.seen = before.seen
            }
            if seen.contains(address.text) { entry.seen = arrangements }
            next[address.text] = entry
        }
        // Images that no peer names any more are dropped elsewhere.
        let dropped = known.filter { text, entry in
            entry.isShown && next[text] == nil && inRoom.contains(text)
        }
        known = next
        return dropped.keys.sorted()
    }

    private var addressesOnStage: [PictureAddress] {
        let addresses = Dictionary(
            ofPeers.map { ($0.peer, $0.address) }, uniquingKeysWith: { first, _ in first })
        return stage.compactMap { addresses[$0] }
    }

    /// Images of publishing peers, the most urgent first.
    private var peersAddresses: [PictureAddress] {
        let joined = ofPeers.map(\.address)
        let there = joined.enumerated()
            .compactMap { place, address in
                known[address.text].map { (seen: $0.seen, place: place, address: address) }
            }
            .sorted { ($1.seen, $0.place) < ($0.seen, $1.place) }
            .map(\.address)
        return Self.unique(addressesOnStage + there + joined)
    }

    private static func unique(_ addresses: [PictureAddress]) -> [PictureAddress] {
        var texts: Set<String> = []
        return addresses.filter { texts.insert($0.text).inserted }
    }

    // MARK: What comes of it

    /// The most urgent waiting image, which then counts as being fetched.
    mutating func next() -> Wish? {
        let text = order.first { known[$0]?.progress == .waiting }
        guard let text, let wish = known[text]?.wish else { return nil }
        known[text]?.progress = .underWay
        return wish
    }

    /// Whether the image is still wanted at that size.
    private func isWanted(_ wish: Wish) -> Bool { known[wish.address.text]?.wish == wish }

    /// - Returns: whether to show the image: it is still wanted, and at that size.
    mutating func fetched(_ wish: Wish) -> Bool {
        guard isWanted(wish) else { return false }
        known[wish.address.text]?.progress = .over
        known[wish.address.text]?.isShown = true
        return true
    }

    /// An attempt has failed; the next one is not scheduled yet.
    ///
    /// - Returns: the number of failures; nil if the image is no longer wanted.
    mutating func failed(_ wish: Wish) -> Int? {
        guard isWanted(wish) else { return nil }
        known[wish.address.text]?.progress = .resting
        known[wish.address.text]?.failures += 1
        return known[wish.address.text]?.failures
    }

    mutating func tryAgain(_ wish: Wish) {
        guard isWanted(wish), known[wish.address.text]?.progress == .resting else { return }
        known[wish.address.text]?.progress = .waiting
    }

    /// No further attempt is made until the address is named again.
    ///
    /// - Returns: whether no image of the address is left, not even a smaller one.
    mutating func givenUp(_ wish: Wish) -> Bool {
        guard isWanted(wish) else { return false }
        known[wish.address.text]?.progress = .over
        return known[wish.address.text]?.isShown == false
    }
}
