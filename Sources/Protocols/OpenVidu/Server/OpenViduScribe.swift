internal import MediaKernel
internal import RoomHost
internal import Rooms

/// Tells application servers what happens in a room: keeps the ledger of its sessions.
///
/// Owned by the sessions, of which it knows the clients and the names.
final class OpenViduScribe {
    /// Nil if nobody wants to know.
    private let observer: (any OpenViduObserver)?
    private var ledger: SessionLedger?
    /// Why peers are gone of which the ledger does not know it yet.
    private var departures: [PeerID: String] = [:]
    /// Why the session ends; nil for the leave of the last participant.
    private var endReason: String?

    init(_ observer: (any OpenViduObserver)?) { self.observer = observer }

    // MARK: - Facts

    /// The room was ended for everybody.
    func roomEnded(reason: String) {
        // Otherwise the next session would end for it.
        if ledger?.openedAt != nil { endReason = reason }
    }

    /// A peer is gone. It is told with the next second, if not before.
    func departed(_ peer: PeerID, reason: String) {
        if observer != nil { departures[peer] = reason }
    }

    /// Something may have become of a peer.
    ///
    /// - Parameter reason: why it is gone; nil for what is known of it.
    func look(
        at peer: PeerID, reason: String? = nil, of sessions: OpenViduSessions,
        in host: isolated RoomHost
    ) {
        guard observer != nil else { return }
        let time = host.clock.wall()
        let visible = try? host.room.peers.visiblePeer(peer)
        let participants = visible.map { sessions.roster.participants(of: $0, at: time) } ?? []
        let details = change(in: host) { ledger in
            ledger.update(
                peer, participants, reason: reason ?? departures[peer] ?? "disconnect",
                unpublished: sessions.unpublishReasons[peer] ?? "unpublish",
                since: host.room.session?.startedAt, at: time)
        }
        tell(details)
        let begun = Set(
            details.filter { $0.event == .webrtcConnectionCreated }
                .compactMap { $0.members["streamId"] })
        for participant in participants {
            guard let stream = participant.stream, begun.contains(.string(stream.id)) else {
                continue
            }
            publish(participant, by: peer, of: sessions, in: host)
        }
        if participants.isEmpty { departures[peer] = nil }
        if !host.room.peers.hasVisible {
            let reason = endReason ?? "lastParticipantLeft"
            tell(change(in: host) { $0.close(reason: reason, at: time) })
            endReason = nil
        }
    }

    /// A second has passed. A peer that is alone, or the last one, has no listeners, and so no event
    /// has told of it.
    func lookAround(_ sessions: OpenViduSessions, in host: isolated RoomHost) {
        guard observer != nil else { return }
        let visible = host.room.peers.visible.map(\.id)
        let known = ledger?.peers ?? []
        if visible.count <= 1 || visible.count != known.count {
            for peer in known.subtracting(visible).sorted() + visible {
                look(at: peer, of: sessions, in: host)
            }
        }
        departures = [:]
    }

    /// A client receives a stream; or still does, on another connection.
    func viewBegan(
        _ stream: SharedStream, by peer: PeerID, of sessions: OpenViduSessions,
        in host: isolated RoomHost
    ) {
        guard isToldOfViews, let viewer = try? host.room.peers.visiblePeer(peer),
            let owner = sessions.roster.owner(of: stream.id),
            let publisher = try? host.room.peers.visiblePeer(owner)
        else { return }
        let time = host.clock.wall()
        let shown = sessions.roster.participants(of: publisher, at: time)
            .first { $0.stream?.id == stream.id }
        guard let shown else { return }
        let participant = sessions.roster.participants(of: viewer, at: time)[0]
        tell(
            change(in: host) {
                $0.began(
                    SessionLedger.View(stream: stream, publisher: shown.id), of: peer,
                    participant, at: time)
            })
    }

    /// A client does not receive a stream any more.
    func viewEnded(_ stream: String, by peer: PeerID, in host: isolated RoomHost) {
        guard isToldOfViews else { return }
        let time = host.clock.wall()
        tell(change(in: host) { $0.ended(stream, of: peer, reason: "unsubscribe", at: time) })
    }

    private var isToldOfViews: Bool {
        observer.map {
            $0.wants(.webrtcConnectionCreated) || $0.wants(.webrtcConnectionDestroyed)
        } ?? false
    }

    /// A signal was sent.
    ///
    /// - Parameters:
    ///   - sender: a connection; nil for an application server.
    ///   - targets: the connections; empty for all.
    func signalled(
        from sender: String?, to targets: [String], type: String, data: String,
        _ sessions: OpenViduSessions, in host: isolated RoomHost
    ) {
        guard observer?.wants(.signalSent) == true else { return }
        let time = host.clock.wall()
        let all = host.room.peers.visible.map {
            sessions.roster.participants(of: $0, at: time)[0].id
        }
        tell([
            change(in: host) {
                $0.signal(
                    from: sender, to: targets.isEmpty ? all : targets, type: type, data: data,
                    at: time)
            }
        ])
    }

    /// Whether a client's streams are recorded has changed.
    func recordingChanged(
        of peer: PeerID, _ sessions: OpenViduSessions, in host: isolated RoomHost
    ) {
        guard let publisher = try? host.room.peers.visiblePeer(peer) else { return }
        for participant in sessions.roster.participants(of: publisher, at: host.clock.wall()) {
            publish(participant, by: peer, of: sessions, in: host)
        }
    }

    // MARK: - Answers

    /// All streams of the room.
    func streams(
        _ sessions: OpenViduSessions, in host: isolated RoomHost
    ) -> [PublishedStream] {
        host.room.peers.visible.flatMap { peer in
            sessions.roster.participants(of: peer, at: host.clock.wall()).compactMap {
                Self.published($0, isRecorded: sessions.members[peer.id]?.isRecorded ?? true)
            }
        }
    }

    private static func published(
        _ participant: Participant, isRecorded: Bool
    ) -> PublishedStream? {
        guard let stream = participant.stream else { return nil }
        let (client, server) = ParticipantMetadata.parts(of: participant.metadata)
        return PublishedStream(
            id: stream.id, connection: participant.id, clientData: client, serverData: server,
            video: stream.video.map { _ in stream.terms.source },
            tracks: [stream.audio, stream.video].compactMap(\.self), isRecorded: isRecorded)
    }

    private func publish(
        _ participant: Participant, by peer: PeerID, of sessions: OpenViduSessions,
        in host: isolated RoomHost
    ) {
        let isRecorded = sessions.members[peer]?.isRecorded ?? true
        guard let stream = Self.published(participant, isRecorded: isRecorded) else { return }
        observer?.published(stream, in: host.room.id)
    }

    private func tell(_ details: [CallDetail]) {
        for detail in details { observer?.happened(detail) }
    }

    private func change<Result>(
        in host: isolated RoomHost, _ body: (inout SessionLedger) -> Result
    ) -> Result {
        var current = ledger ?? SessionLedger(room: host.room.id)
        // With two owners, each change would copy it.
        ledger = nil
        defer { ledger = current }
        return body(&current)
    }
}
