internal import MediaKernel
internal import MediaServer
internal import Rooms
internal import XMPP

/// A client of Jitsi in the conference: an occupant of the XMPP room, and a peer of ours.
struct FocusMember {
    /// Its session, from the invitation on.
    struct Session {
        let id: String
        let key: ConnectionKey
        let order: JingleOrder
        var plan: LegPlan
        /// Until when it must be accepted; nil once it is.
        var deadline: Instant?
        /// What the member is sent, and what it knows of that.
        var sent: [SentTrack] = []
        var told: [TrackID: ToldSource] = [:]
        /// Whether its channel works, as it has said something there.
        var isOnBridge = false
        /// As it was last asked of the media.
        var layers: [TrackID: LayerPreference] = [:]

        var isActive: Bool { deadline == nil }
    }

    let nick: String
    /// Outside of the room.
    let address: JID?
    var isModerator: Bool
    /// The order in which they came.
    let number: Int
    let peer = PeerID(Hexadecimal.identifier())
    var shown: Member
    /// Whether it has been asked what it can do.
    var isWelcomed = false
    /// Nil until it has said them.
    var features: ClientFeatures?
    var hasJoined = false
    var session: Session?
    var sessionsMade = 0
    /// What it sends.
    var sources: [SentSource] = []
    var wishes = ReceiverWishes()
    /// The videos of which it was told that it is sent them; nil as long as that is all.
    var forwarded: [String]?
    var allowance: TokenBucket
    /// Whether it has been seen in the room since we came into it.
    var isSeen = true

    /// As the room knows them.
    var tracks: [Track] {
        sources.map { source in
            let isScreen =
                source.name.isVideo && (shown.isScreen(source.name) ?? source.isScreen)
            return Track(
                id: TrackID("\(source.name)"), streamID: nick,
                kind: source.name.isVideo ? .video : .audio,
                source: isScreen ? "screen" : "regular", isMuted: shown.isMuted(source.name))
        }
    }

    /// Its app shows a picture for a video that it is not sent, if it is told so, and not that its
    /// owner's connection is bad. Until one is left out, clients take all of them for sent.
    ///
    /// - Returns: what it is to be told that it is sent, by name; nil if it knows that.
    mutating func forward(_ videos: [SourceName: LayerPreference]) -> [String]? {
        guard session?.isOnBridge == true else { return nil }
        let sent = videos.filter { $0.value != .none }.map { "\($0.key)" }.sorted()
        guard sent != forwarded, forwarded != nil || sent.count < videos.count else { return nil }
        forwarded = sent
        return sent
    }

    /// Whether it is sent some video of another, as far as is known.
    func sees(_ nick: String) -> Bool {
        forwarded?.contains { $0.hasPrefix("\(nick)-") } ?? true
    }

    /// What it is called.
    var name: String { shown.name.isEmpty ? nick : shown.name }
}
