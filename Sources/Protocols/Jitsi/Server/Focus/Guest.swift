internal import MediaKernel
internal import Rooms
internal import XML
internal import XMPP

/// A peer of another protocol, as Jitsi's clients see it: an occupant of their room.
struct Guest: Hashable {
    let nick: String
    /// Of its tracks, while they are published.
    private(set) var names: [TrackID: SourceName] = [:]
    /// What its presence has, and of what that follows.
    private(set) var shown: [XMLElement] = []
    private var name = ""
    private var tracks: [Track] = []

    init(nick: String) { self.nick = nick }

    /// - Returns: whether it shows something else now.
    mutating func take(_ peer: Peer) -> Bool {
        guard shown.isEmpty || peer.name != name || peer.tracks != tracks else { return false }
        (name, tracks) = (peer.name, peer.tracks)
        let known = Set(tracks.map(\.id))
        names = names.filter { known.contains($0.key) }
        for track in peer.tracks where names[track.id] == nil {
            names[track.id] = freeName(for: track)
        }
        let before = shown
        shown = [
            XMLElement("nick", JitsiNamespaces.nick, text: peer.name),
            XMLElement("SourceInfo", Namespaces.client, text: JitsiJSON.text(sources(of: peer))),
            muted("audiomuted", .audio, peer), muted("videomuted", .video, peer),
        ]
        return shown != before
    }

    /// Clients take the second video for the screen where nothing else says so.
    private func freeName(for track: Track) -> SourceName? {
        let isVideo = track.kind == .video
        let taken = Set(names.values.filter { $0.isVideo == isVideo }.map(\.number))
        let first = isVideo && track.isPresentation ? 1 : 0
        let number = ([first] + Array(0...taken.count)).first { !taken.contains($0) }
        return number.map { SourceName(owner: nick, isVideo: isVideo, number: $0) }
    }

    private func sources(of peer: Peer) -> [String: JSONValue] {
        var sources: [String: JSONValue] = [:]
        for track in peer.tracks {
            guard let name = names[track.id] else { continue }
            var source: [String: JSONValue] = ["muted": .bool(track.isMuted)]
            if name.isVideo {
                source["videoType"] = track.isPresentation ? "desktop" : "camera"
            }
            sources["\(name)"] = .object(source)
        }
        return sources
    }

    private func muted(_ name: String, _ kind: TrackKind, _ peer: Peer) -> XMLElement {
        let isHeard = peer.tracks.contains { $0.kind == kind && !$0.isMuted }
        return XMLElement(name, Namespaces.client, text: isHeard ? "false" : "true")
    }
}

/// The peers of other protocols in one conference.
struct GuestList {
    private(set) var guests: [PeerID: Guest] = [:]
    private var owners: [String: PeerID] = [:]

    subscript(peer: PeerID) -> Guest? { guests[peer] }

    /// The peer behind a nick.
    func peer(_ nick: String) -> PeerID? { owners[nick] }

    enum Change: Hashable {
        case came(Guest)
        case changed(Guest)
    }

    /// A peer is there, or has changed.
    ///
    /// - Parameter isTaken: whether a member has that nick.
    /// - Returns: nil if nobody needs to know, or if there are too many.
    mutating func take(_ peer: Peer, isTaken: (String) -> Bool) -> Change? {
        if var guest = guests[peer.id] {
            guard guest.take(peer) else { return nil }
            guests[peer.id] = guest
            return .changed(guest)
        }
        guard guests.count < FocusLimits.guests else { return nil }
        var number = Self.hash(peer.id.rawValue)
        while isTaken(Hexadecimal.text(number)) || owners[Hexadecimal.text(number)] != nil {
            number &+= 1
        }
        var guest = Guest(nick: Hexadecimal.text(number))
        _ = guest.take(peer)
        guests[peer.id] = guest
        owners[guest.nick] = peer.id
        return .came(guest)
    }

    mutating func remove(_ peer: PeerID) -> Guest? {
        guard let guest = guests.removeValue(forKey: peer) else { return nil }
        owners[guest.nick] = nil
        return guest
    }

    mutating func removeAll() { self = GuestList() }

    /// FNV-1a: a nick is eight hexadecimal digits, the same for a peer that comes back.
    private static func hash(_ text: String) -> UInt32 {
        text.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}
