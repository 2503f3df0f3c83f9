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

    private var entries: [Entry] = []

    var participants: [Participant] { entries.map(\.participant) }

    subscript(id: String) -> Participant? {
        entries.first { $0.participant.id == id }?.participant
    }

    /// The publisher of a stream.
    func publisher(of stream: String) -> Participant? {
        entries.first { $0.participant.stream?.id == stream }?.participant
    }

    /// The streams, in the order in which their publishers came.
    var streams: [String] { entries.compactMap { $0.participant.stream?.id } }

    /// - Returns: false if there is no place for another one.
    mutating func put(_ participant: Participant) -> Bool {
        if let index = entries.firstIndex(where: { $0.participant.id == participant.id }) {
            entries[index] = Entry(participant)
            return true
        }
        guard entries.count < ClientLimits.participants else { return false }
        entries.append(Entry(participant))
        return true
    }

    /// Changes the stream of a participant.
    mutating func change(_ id: String, _ change: (inout SharedStream?) -> Void) {
        guard let index = entries.firstIndex(where: { $0.participant.id == id }) else { return }
        change(&entries[index].participant.stream)
    }

    mutating func remove(_ id: String) { entries.removeAll { $0.participant.id == id } }

    /// - Parameter isLeftOut: whether a stream is not received for good.
    func peers(without isLeftOut: (String) -> Bool) -> [RemotePeer] {
        entries.map { entry in
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
