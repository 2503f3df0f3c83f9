internal import MediaKernel
internal import RoomHost
internal import Rooms

/// What clients are told of the room.
extension OpenViduSessions {
    /// Tells clients what has changed of a peer since they were last told.
    ///
    /// - Parameter reason: why a stream or the peer is gone.
    func refresh(
        _ peer: PeerID, for listeners: [PeerID], reason: String = "disconnect",
        in host: isolated RoomHost
    ) {
        let publisher = try? host.room.peers.visiblePeer(peer)
        let participants = publisher.map { roster.participants(of: $0, at: host.clock.wall()) }
        // Most listeners are told the same.
        var frames: [ParticipantChange: String] = [:]
        for listener in listeners where listener != peer && isConnected(listener) {
            let known = members[listener]?.told[peer] ?? []
            var shown: [Participant] = []
            if let publisher, let participants {
                shown = self.shown(participants, of: publisher, to: listener, in: host)
            }
            guard known != shown else { continue }
            members[listener]?.told[peer] = shown.isEmpty ? nil : shown
            for change in ParticipantChange.changes(from: known, to: shown) {
                stopViewing(change.ended?.id, by: listener, in: host)
                let frame = frames[change] ?? Self.frame(change, reason: reason)
                frames[change] = frame
                push(frame, to: listener, in: host)
            }
        }
    }

    /// Tells a client that was away everything that it has missed.
    func refreshAll(for listener: PeerID, in host: isolated RoomHost) {
        let known = Set(members[listener]?.told.keys.map { $0 } ?? [])
        let present = host.room.peers.listed(for: listener).map(\.id)
        for peer in known.subtracting(present).sorted() + present {
            refresh(peer, for: [listener], in: host)
        }
        tellRecording(to: listener, in: host)
    }

    /// A peer's connections as another one may know them; none for one that it may not know.
    func participants(
        of peer: PeerID, shownTo listener: PeerID, in host: isolated RoomHost
    ) -> [Participant] {
        guard let publisher = try? host.room.peers.visiblePeer(peer) else { return [] }
        let participants = roster.participants(of: publisher, at: host.clock.wall())
        return shown(participants, of: publisher, to: listener, in: host)
    }

    private func shown(
        _ participants: [Participant], of publisher: Peer, to listener: PeerID,
        in host: isolated RoomHost
    ) -> [Participant] {
        guard !publisher.isQuiet, let viewer = host.room.peers[listener] else { return [] }
        guard !host.room.peers.receives(viewer, from: publisher) else { return participants }
        var alone = participants[0]
        alone.stream = nil
        return [alone]
    }

    private static func frame(_ change: ParticipantChange, reason: String) -> String {
        // Clients of 2018 read `name` instead of `connectionId`.
        func gone(_ participant: Participant) -> [String: JSONValue] {
            [
                "connectionId": .string(participant.id), "name": .string(participant.id),
                "reason": .string(reason),
            ]
        }
        switch change {
        case .joined(let participant):
            return OpenViduFrame.notification(.participantJoined, participant.head)
        case .published(let participant):
            let streams = participant.stream.map { [$0.json] } ?? []
            return OpenViduFrame.notification(
                .participantPublished,
                ["id": .string(participant.id), "streams": .array(streams)])
        case .unpublished(let participant):
            return OpenViduFrame.notification(.participantUnpublished, gone(participant))
        case .left(let participant):
            return OpenViduFrame.notification(.participantLeft, gone(participant))
        case .property(let change):
            return OpenViduFrame.notification(.streamPropertyChanged, change.json)
        }
    }

    // MARK: - Signals

    func tell(_ message: Message, to listeners: [PeerID], in host: isolated RoomHost) {
        guard listeners.contains(where: isConnected) else { return }
        let frame = OpenViduFrame.notification(.sendMessage, signal(message, in: host))
        for listener in listeners { push(frame, to: listener, in: host) }
    }

    func signal(_ message: Message, in host: isolated RoomHost) -> [String: JSONValue] {
        let body = try? JSONDocument(message.body.text, limits: .own).root.decode(String.self)
        var signal: [String: JSONValue] = [
            "data": .string(body ?? message.body.text),
            "type": .string(message.type.isEmpty ? "signal" : "signal:\(message.type)"),
        ]
        // One that has left since is no connection of the session.
        if let sender = message.sender?.id, let peer = try? host.room.peers.visiblePeer(sender) {
            let id = roster.participants(of: peer, at: host.clock.wall())[0].id
            signal["from"] = .string(id)
        }
        return signal
    }

    // MARK: - Mutes

    /// Mutes tracks in the server, since clients cannot be asked to. Unmutes only those: the others
    /// send silence. While its peer may not unmute it, a track stays muted whoever asks.
    func mute(
        _ isMuted: Bool, of peer: PeerID, in host: isolated RoomHost, where isMeant: (Track) -> Bool
    ) {
        guard let publisher = host.room.peers[peer] else { return }
        let tracks = publisher.tracks.filter { track in
            let isMutedByOthers = members[peer]?.mutedByOthers.contains(track.publishedID) ?? false
            let isActive = !track.isMuted || host.room.peers.isOverruled(track.id, of: peer)
            let isHeld = host.room.peers.isHeld(track.moderatedKind, of: publisher)
            return isMeant(track) && (isMuted ? isActive : isMutedByOthers && !isHeld)
        }
        guard !tracks.isEmpty else { return }
        let change = TrackChange(isMuted: isMuted)
        let changes = Dictionary(tracks.map { ($0.publishedID, change) }) { first, _ in first }
        // The room refuses only tracks that the peer does not publish.
        try? host.room.tracksUpdated(changes, by: peer, at: host.clock.now())
        host.mutesChanged(of: peer)
        for track in tracks {
            if isMuted {
                members[peer]?.mutedByOthers.insert(track.publishedID)
            } else {
                members[peer]?.mutedByOthers.remove(track.publishedID)
            }
            guard let stream = members[peer]?.publication?.stream else { continue }
            let change = PropertyChange(
                isActive: !isMuted, track.kind, of: stream, peer.rawValue)
            push(.streamPropertyChanged, change.json, to: peer, in: host)
        }
    }

    // MARK: - Recordings

    /// OpenVidu tells those who may publish.
    func tellRecording(to listener: PeerID, in host: isolated RoomHost) {
        guard let member = members[listener], hearsOfRecordings(listener, in: host) else { return }
        let isOn = host.room.streaming.isRecorded
        switch member.recording {
        case nil where isOn:
            let label = host.room.recordingLabel
            members[listener]?.recording = label
            push(
                .recordingStarted, ["id": .string(label.id), "name": .string(label.name)],
                to: listener, in: host)
        case let label? where !isOn:
            members[listener]?.recording = nil
            push(
                .recordingStopped,
                [
                    "id": .string(label.id), "name": .string(label.name),
                    "reason": "recordingStoppedByServer",
                ], to: listener, in: host)
        default: break
        }
    }

    func hearsOfRecordings(_ peer: PeerID, in host: isolated RoomHost) -> Bool {
        let role = host.room.peers[peer].flatMap { host.room.policy.role($0.role) }
        return role.map { OpenViduRole($0) != .subscriber } ?? false
    }
}

extension RoomStreaming {
    /// A recording of the stream, or one without a stream.
    var isRecorded: Bool {
        hls.recording?.state.isOn ?? false || recording?.state.isOn ?? false
    }
}

extension Room {
    /// By which id and name an application knows the recording; those of the room, if none does.
    var recordingLabel: RoomRecording.Label {
        if let recording = streaming.recording, recording.state.isOn, let label = recording.label {
            return label
        }
        return RoomRecording.Label(id: id.rawValue, name: name)
    }
}
