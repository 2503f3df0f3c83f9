internal import MediaKernel
internal import RemoteRoom

/// The members of the room that clients show, in the order in which they came.
struct CallRoster: Hashable {
    private struct Entry: Hashable {
        var member: Member
        /// As others see it, without tracks. Making it at every change of any member would cost a
        /// full room much.
        var peer: RemotePeer

        init(_ member: Member) {
            self.member = member
            peer = RemotePeer(
                id: PeerID(member.id), name: member.name, role: member.role,
                metadata: CallRoster.metadata(of: member),
                identity: member.identity?.listed(as: member.name))
        }
    }

    private let hiddenDomain: String?
    private var entries = ArrivalOrder<String, Entry>()
    private var encrypted = 0
    /// Those of an earlier stay in the room, until it has told who is there.
    private var stale: Set<String> = []

    init(hiddenDomain: String?) { self.hiddenDomain = hiddenDomain }

    var isEmpty: Bool { entries.isEmpty }

    subscript(id: String) -> Member? { entries[id]?.member }

    /// Whether all of them encrypt from end to end. A single one that says so may be mistaken, or
    /// mean harm.
    var isEncrypted: Bool { !entries.isEmpty && encrypted == entries.count }

    /// We enter anew: the room tells its members again.
    mutating func begin() { stale = Set(entries.keys) }

    /// The room has told all members.
    mutating func settle() {
        let gone = stale
        stale = []
        for id in gone { remove(id) }
    }

    /// - Returns: false if there is no place for another one.
    mutating func put(_ member: Member) -> Bool {
        guard !member.isHidden(in: hiddenDomain) else {
            remove(member.id)
            return true
        }
        stale.remove(member.id)
        guard self[member.id] != member else { return true }
        guard self[member.id] != nil || entries.count < JitsiLimits.members else { return false }
        let before = entries.put(Entry(member), for: member.id)
        encrypted += (member.isEncrypted ? 1 : 0) - (before?.member.isEncrypted == true ? 1 : 0)
        return true
    }

    mutating func remove(_ id: String) {
        if entries.remove(id)?.member.isEncrypted == true { encrypted -= 1 }
    }

    /// Who is there, for the rules by which a call is over.
    ///
    /// - Parameter withVideo: whether a picture is as good as sound.
    func attendance(
        _ book: SourceBook, withVideo: Bool = true
    ) -> (participants: Int, muted: Int, callers: Int) {
        let heard = Set(
            book.sources.filter {
                (withVideo || !$0.isVideo) && self[$0.owner]?.isMuted($0.name) == false
            }.map(\.owner))
        var (muted, callers) = (0, 0)
        for member in entries.values.lazy.map(\.member) {
            if member.isJigasi { callers += 1 } else if !heard.contains(member.id) { muted += 1 }
        }
        return (entries.count, muted, callers)
    }

    // MARK: As others see them

    func peers(_ book: SourceBook) -> [RemotePeer] {
        entries.values.map { entry in
            var peer = entry.peer
            // Nobody but the keys' holders can show what is encrypted.
            if !entry.member.isEncrypted {
                peer.tracks = book.sources(of: entry.member.id)
                    .map { Self.track($0, of: entry.member) }
            }
            return peer
        }
    }

    private static func track(_ source: ConferenceSource, of member: Member) -> RemoteTrack {
        let isScreen = member.isScreen(source.name) ?? source.isScreen
        return RemoteTrack(
            id: TrackID(source.name.description), isVideo: source.isVideo,
            source: isScreen ? .presentation : .regular, isMuted: member.isMuted(source.name))
    }

    private static func metadata(of member: Member) -> String {
        var members: [String: JSONValue] = [:]
        if let avatar = member.avatar { members["avatar"] = .string(avatar) }
        if let email = member.email { members["email"] = .string(email) }
        return members.isEmpty ? "" : JitsiJSON.text(members)
    }

    /// The sources to receive, those that are heard and seen first.
    func ordered(_ book: SourceBook) -> [ConferenceSource] {
        let sources = book.sources.map { ($0, self[$0.owner]?.isMuted($0.name) ?? true) }
        return sources.filter { !$0.1 }.map(\.0) + sources.filter(\.1).map(\.0)
    }
}
