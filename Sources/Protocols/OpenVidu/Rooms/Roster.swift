internal import MediaKernel
internal import MediaServer
internal import Rooms

/// The peers of a room as OpenVidu's clients see them: their connections and streams, with ids that
/// last as long as they do.
struct Roster {
    /// A peer's tracks that form one stream.
    private enum Group: Hashable {
        /// The stream that a client of this protocol publishes.
        case announced(String)
        /// The number tells several of one source apart.
        case source(String, Int)

        var isMain: Bool {
            switch self {
            case .announced, .source("regular", 0): true
            case .source: false
            }
        }
    }

    private struct Entry {
        let id: String
        let metadata: String?
        let createdAt: Int64
        var streams: [Group: SharedStream] = [:]
        /// The connections of streams besides the main one.
        var others: [Group: String] = [:]

        /// The ids of its connections and of its streams.
        var ids: [String] { [id] + others.values + streams.values.map(\.id) }
    }

    private var entries: [PeerID: Entry] = [:]
    /// The peers by all of these ids, which clients may name at any rate.
    private var owners: [String: PeerID] = [:]
    private var announced: [String: StreamTerms] = [:]
    private var random = SystemRandomNumberGenerator()

    /// A client of this protocol has joined: its peer's id is that of its connection.
    ///
    /// - Parameter metadata: the app's and the token's.
    mutating func introduce(_ peer: PeerID, metadata: String, at time: UnixTime) {
        keep(
            Entry(id: peer.rawValue, metadata: metadata, createdAt: time.milliseconds), of: peer)
    }

    /// A client of this protocol publishes a stream, or describes it anew.
    mutating func announce(_ stream: String, _ terms: StreamTerms) { announced[stream] = terms }

    func terms(of stream: String) -> StreamTerms? { announced[stream] }

    mutating func withdraw(_ stream: String) { announced[stream] = nil }

    mutating func forget(_ peer: PeerID) { keep(nil, of: peer) }

    private mutating func keep(_ entry: Entry?, of peer: PeerID) {
        for id in entries[peer]?.ids ?? [] where owners[id] == peer { owners[id] = nil }
        for id in entry?.ids ?? [] where owners[id] == nil { owners[id] = peer }
        entries[peer] = entry
    }

    /// The peer that has a connection or publishes a stream; nil for an unknown one.
    func owner(of id: String) -> PeerID? { owners[id] }

    /// The peer that has a connection; nil also for a stream's id.
    func owner(ofConnection id: String) -> PeerID? {
        guard let peer = owners[id], let entry = entries[peer],
            entry.id == id || entry.others.values.contains(id)
        else { return nil }
        return peer
    }

    /// The connections of a peer, its own one first. A stream whose tracks have changed is another
    /// stream, since clients ask only once for what it has.
    mutating func participants(of peer: Peer, at time: UnixTime) -> [Participant] {
        var entry =
            entries[peer.id]
            ?? Entry(
                id: makeIdentifier("con_", 10), metadata: nil, createdAt: time.milliseconds)
        let groups = Self.groups(of: peer.tracks) { announced[$0] != nil }
        var streams: [Group: SharedStream] = [:]
        var participants = [
            Participant(
                id: entry.id, metadata: entry.metadata ?? Self.metadata(of: peer.name),
                createdAt: entry.createdAt)
        ]
        for (group, tracks) in groups {
            let isMain = group.isMain && participants[0].stream == nil
            let connection =
                isMain ? entry.id : entry.others[group] ?? makeIdentifier("con_", 10)
            if !isMain { entry.others[group] = connection }
            let stream = stream(
                of: tracks, in: group, on: connection, before: entry.streams[group], at: time)
            streams[group] = stream
            if isMain {
                participants[0].stream = stream
            } else {
                participants.append(
                    Participant(
                        id: connection, metadata: participants[0].metadata,
                        createdAt: stream.createdAt, stream: stream))
            }
        }
        entry.streams = streams
        entry.others = entry.others.filter { streams[$0.key] != nil }
        keep(entry, of: peer.id)
        return participants
    }

    private mutating func stream(
        of tracks: [Track], in group: Group, on connection: String, before: SharedStream?,
        at time: UnixTime
    ) -> SharedStream {
        let audio = tracks.first { $0.kind == .audio }
        let video = tracks.first { $0.kind == .video }
        var terms = StreamTerms()
        var id: String?
        switch group {
        case .announced(let stream):
            id = stream
            terms = announced[stream] ?? terms
        case .source(let source, _):
            terms.source =
                source == "screen" ? "SCREEN" : source == "regular" ? "CAMERA" : "CUSTOM"
            if let before, before.audio == audio?.id, before.video == video?.id { id = before.id }
        }
        let isNew = id != before?.id || before == nil
        let letters = terms.letters(hasVideo: video != nil)
        return SharedStream(
            id: id ?? "\(makeIdentifier("str_\(letters)_", 4))_\(connection)",
            createdAt: isNew ? time.milliseconds : before?.createdAt ?? time.milliseconds,
            audio: audio?.id, video: video?.id,
            isAudioActive: audio.map { !$0.isMuted } ?? false,
            isVideoActive: video.map { !$0.isMuted } ?? false, terms: terms)
    }

    /// Tracks of one source form a stream: one of each kind.
    private static func groups(
        of tracks: [Track], isAnnounced: (String) -> Bool
    ) -> [(Group, [Track])] {
        var groups: [(group: Group, tracks: [Track])] = []
        for track in tracks {
            if isAnnounced(track.streamID) {
                let group = Group.announced(track.streamID)
                if let index = groups.firstIndex(where: { $0.group == group }) {
                    groups[index].tracks.append(track)
                } else {
                    groups.append((group, [track]))
                }
                continue
            }
            var number = 0
            while let index = groups.firstIndex(where: {
                $0.group == .source(track.source, number)
            }), groups[index].tracks.contains(where: { $0.kind == track.kind }) {
                number += 1
            }
            let group = Group.source(track.source, number)
            if let index = groups.firstIndex(where: { $0.group == group }) {
                groups[index].tracks.append(track)
            } else {
                groups.append((group, [track]))
            }
        }
        return groups
    }

    /// The data of peers whose clients have none for this protocol, in the form of its own apps.
    private static func metadata(of name: String) -> String {
        OpenViduFrame.text(["clientData": .string(name)])
    }

    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

    /// The name of a connection that carries a stream. It is never used twice.
    mutating func makeKey(_ stream: String) -> ConnectionKey {
        .named(makeIdentifier("\(stream)#", 8))
    }

    /// Unique for all practical purposes.
    mutating func makeIdentifier(_ prefix: String, _ count: Int) -> String {
        prefix
            + String((0..<count).map { _ in Self.letters.randomElement(using: &random) ?? "A" })
    }
}
