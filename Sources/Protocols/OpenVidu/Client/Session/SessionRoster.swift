internal import MediaKernel
internal import RemoteRoom

/// The other participants of a session, in the order in which they came.
struct SessionRoster {
    /// Longer names are not shown.
    private static let nameScalars = 256

    private struct Entry {
        var participant: Participant
        /// As others see it, without tracks. Reading it from the metadata at every change would cost
        /// a full session much.
        var peer: RemotePeer

        init(_ participant: Participant) {
            self.participant = participant
            let data = ParticipantMetadata.parts(of: participant.metadata)
            let name = [data.client, data.server].lazy
                .compactMap { DisplayName.found(in: $0, maximum: nameScalars) }.first
            peer = RemotePeer(
                id: PeerID(participant.id), name: name ?? "", metadata: data.client,
                joinedAt: participant.createdAt)
        }
    }

    /// In the order in which they came, with gaps where some were.
    private var entries: [Entry?] = []
    private var places: [String: Int] = [:]
    /// The participants, by their streams.
    private var publishers: [String: String] = [:]

    var participants: [Participant] { entries.compactMap { $0?.participant } }

    subscript(id: String) -> Participant? {
        places[id].flatMap { entries[$0]?.participant }
    }

    /// The publisher of a stream.
    func publisher(of stream: String) -> Participant? { publishers[stream].flatMap { self[$0] } }

    /// - Returns: false if there is no place for another one.
    mutating func put(_ participant: Participant) -> Bool {
        let id = participant.id
        if let place = places[id] {
            withdraw(entries[place]?.participant.stream, of: id)
            entries[place] = Entry(participant)
        } else {
            guard places.count < ClientLimits.participants else { return false }
            places[id] = entries.count
            entries.append(Entry(participant))
        }
        if let stream = participant.stream { publishers[stream.id] = id }
        return true
    }

    /// Changes the stream of a participant.
    mutating func change(_ id: String, _ change: (inout SharedStream?) -> Void) {
        guard let place = places[id], var entry = entries[place] else { return }
        withdraw(entry.participant.stream, of: id)
        change(&entry.participant.stream)
        entries[place] = entry
        if let stream = entry.participant.stream { publishers[stream.id] = id }
    }

    mutating func remove(_ id: String) {
        guard let place = places.removeValue(forKey: id) else { return }
        withdraw(entries[place]?.participant.stream, of: id)
        entries[place] = nil
        // Gaps cost no more than entries, all in all.
        guard entries.count > 2 * places.count + 8 else { return }
        entries.removeAll { $0 == nil }
        for (place, entry) in entries.enumerated() {
            if let entry { places[entry.participant.id] = place }
        }
    }

    private mutating func withdraw(_ stream: SharedStream?, of id: String) {
        guard let stream, publishers[stream.id] == id else { return }
        publishers[stream.id] = nil
    }

    /// - Parameter isLeftOut: whether a stream is not received for good.
    func peers(without isLeftOut: (String) -> Bool) -> [RemotePeer] {
        entries.lazy.compactMap(\.self).map { entry in
            var peer = entry.peer
            if let stream = entry.participant.stream, !isLeftOut(stream.id) {
                peer.tracks = Self.tracks(of: stream)
            }
            return peer
        }
    }

    private static func tracks(of stream: SharedStream) -> [RemoteTrack] {
        let source: TrackSource = stream.terms.source == "SCREEN" ? .presentation : .regular
        var tracks: [RemoteTrack] = []
        if let audio = stream.audio {
            tracks.append(
                RemoteTrack(
                    id: audio, isVideo: false, source: source, isMuted: !stream.isAudioActive))
        }
        if let video = stream.video {
            tracks.append(
                RemoteTrack(
                    id: video, isVideo: true, source: source, isMuted: !stream.isVideoActive))
        }
        return tracks
    }
}
