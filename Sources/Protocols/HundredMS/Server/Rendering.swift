internal import Foundation
internal import MediaKernel
internal import Rooms

// Converts the room's values to the protocol's.

extension TrackPayload {
    init(_ track: Track) {
        self.init(
            trackID: track.id, streamID: track.streamID, type: track.kind, source: track.source,
            description: track.description, mute: track.isMuted)
    }

    var track: Track {
        Track(
            id: trackID, streamID: streamID, kind: type, source: source,
            description: description, isMuted: mute)
    }

    static func byID(_ tracks: [Track]) -> [String: TrackPayload] {
        Dictionary(tracks.map { ($0.id.rawValue, TrackPayload($0)) }) { _, last in last }
    }
}

extension PeerPayload {
    /// - Parameter isListed: whether clients should keep the peer in their lists from now on.
    init(_ peer: Peer, withTracks: Bool, isListed: Bool = true) {
        self.init(
            peerID: peer.id, role: peer.role, groups: peer.wireGroups,
            info: PeerInfoPayload(name: peer.name, data: peer.metadata, userID: peer.userID),
            joinedAt: peer.joinedAt.milliseconds, realtime: isListed,
            tracks: withTracks ? TrackPayload.byID(peer.tracks) : nil)
    }

    static func byID(_ peers: [Peer], withTracks: Bool) -> [String: PeerPayload] {
        Dictionary(
            peers.map { ($0.id.rawValue, PeerPayload($0, withTracks: withTracks)) }
        ) { _, last in last }
    }
}

extension TracksNotification {
    init(_ tracks: [Track], of peer: Peer) {
        self.init(
            tracks: TrackPayload.byID(tracks), peer: PeerPayload(peer, withTracks: false))
    }
}

extension PeerSearchResult {
    init(_ search: PeerSearch) {
        count = search.peers.count
        limit = search.limit
        offset = search.offset
        eof = search.isLast
        peers = search.peers.map { peer in
            let info = PeerPayload(peer, withTracks: false).info
            return Found(name: info.name, peerID: peer.id, role: peer.role, type: info.type)
        }
    }
}

extension RoleOfferPayload {
    init(_ offer: RoleOffer) {
        self.init(requestedBy: offer.requestedBy, role: offer.role, token: offer.token)
    }
}

extension TrackMutePayload {
    /// For the track's publisher.
    init(_ track: Track, isMuted: Bool, by peer: PeerID) {
        self.init(
            requestedBy: peer, trackID: track.publishedID, streamID: track.streamID, mute: isMuted)
    }
}

extension MutesPayload {
    init(_ request: MuteRequest, by peer: PeerID) {
        self.init(
            requestedBy: peer, value: request.isMuted, type: request.kind, source: request.source,
            roles: request.roles.isEmpty ? nil : request.roles)
    }
}

extension BroadcastNotification {
    init(_ message: Message) {
        peer = message.sender.map { PeerPayload($0, withTracks: false) }
        switch message.audience {
        case .everybody: (roles, isPrivate) = ([], false)
        case .roles(let names): (roles, isPrivate) = (names, false)
        case .peer: (roles, isPrivate) = ([], true)
        }
        messageID = message.id
        timestamp = message.sentAt.milliseconds
        info = MessagePayload(
            message: message.body, type: message.type, replyTo: message.replyTo)
    }
}

extension MetadataPayload {
    init(_ entry: SessionStore.Entry) {
        key = entry.key
        data = entry.data
        changeVersion = entry.version
        updatedBy = entry.updatedBy
        updatedAt = entry.updatedAt.milliseconds
    }
}

extension MetadataPayload {
    /// The value of a key that has not been set.
    init(unset key: String) {
        self.key = key
        data = .null
        changeVersion = 0
    }
}

extension PollResponsesResult.Item {
    init(_ response: PollResponse) {
        var (option, options, text): (Int?, [Int]?, String?) = (nil, nil, nil)
        switch response.answer {
        case .skipped: break
        case .options(let chosen) where response.kind == .singleChoice: option = chosen.first
        case .options(let chosen): options = chosen
        case .text(let words): text = words
        }
        self.response = PollResponsesResult.Response(
            responseID: response.id, question: response.question, type: response.kind,
            skipped: response.answer == .skipped, option: option, options: options, text: text,
            update: response.isUpdate, duration: response.duration)
        peer = PollPeerPayload(response.voter)
    }
}

extension PollLeaderboardResult {
    /// The page size if the client names none, as with 100ms.
    static let countDefault = 10

    init(_ id: PollID, _ board: PollLeaderboard, _ page: Page) {
        pollID = id
        totalUsers = board.audience
        votedUsers = board.entries.count
        correctUsers = board.correctVoters
        avgTime = board.averageTime
        avgScore = board.averageScore
        questions = board.entries[page.range].map { entry in
            Entry(
                position: entry.position, score: entry.score, totalResponses: entry.responses,
                correctResponses: entry.correctResponses, duration: entry.duration,
                peer: PollPeerPayload(entry.voter))
        }
        last = page.isLast
    }
}
