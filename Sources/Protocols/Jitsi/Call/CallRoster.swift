internal import MediaKernel
internal import RemoteRoom

/// The members of the room that clients show, in the order in which they came.
struct CallRoster: Hashable {
    private let hiddenDomain: String?
    private var members: [Member] = []
    private var places: [String: Int] = [:]
    /// Those of an earlier stay in the room, until it has told who is there.
    private var stale: Set<String> = []

    init(hiddenDomain: String?) { self.hiddenDomain = hiddenDomain }

    var isEmpty: Bool { members.isEmpty }

    subscript(id: String) -> Member? { places[id].map { members[$0] } }

    /// Whether all of them encrypt from end to end. A single one that says so may be mistaken, or
    /// mean harm.
    var isEncrypted: Bool { !members.isEmpty && members.allSatisfy(\.isEncrypted) }

    /// We enter anew: the room tells its members again.
    mutating func begin() { stale = Set(members.map(\.id)) }

    /// The room has told all members.
    mutating func settle() {
        let gone = stale
        stale = []
        removeAll { gone.contains($0.id) }
    }

    /// - Returns: false if there is no place for another one.
    mutating func put(_ member: Member) -> Bool {
        guard !member.isHidden(in: hiddenDomain) else {
            remove(member.id)
            return true
        }
        stale.remove(member.id)
        if let place = places[member.id] {
            members[place] = member
            return true
        }
        guard members.count < JitsiLimits.members else { return false }
        places[member.id] = members.count
        members.append(member)
        return true
    }

    mutating func remove(_ id: String) {
        guard places[id] != nil else { return }
        removeAll { $0.id == id }
    }

    private mutating func removeAll(where isGone: (Member) -> Bool) {
        members.removeAll(where: isGone)
        places = Dictionary(
            uniqueKeysWithValues: members.enumerated().map { ($0.element.id, $0.offset) })
    }

    // MARK: As others see them

    func peers(_ book: SourceBook) -> [RemotePeer] {
        let sources = Dictionary(grouping: book.sources, by: \.owner)
        return members.map { member in
            // Nobody but the keys' holders can show what is encrypted.
            let shown = member.isEncrypted ? [] : sources[member.id] ?? []
            return RemotePeer(
                id: PeerID(member.id), name: member.name, role: member.role,
                metadata: Self.metadata(of: member),
                tracks: shown.map { Self.track($0, of: member) })
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
        let isSilent = book.sources.map { self[$0.owner]?.isMuted($0.name) ?? true }
        return zip(book.sources, isSilent).filter { !$0.1 }.map(\.0)
            + zip(book.sources, isSilent).filter(\.1).map(\.0)
    }
}
