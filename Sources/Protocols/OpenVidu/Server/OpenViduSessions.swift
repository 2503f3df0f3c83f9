internal import Logging
internal import MediaKernel
internal import MediaServer
internal import PeerConnection
internal import RoomHost
internal import Rooms

/// The peers of one room that use OpenVidu's protocol, on the server (`docs/OPENVIDU.md`).
///
/// Other modules use it through ``OpenViduEntrance``.
final class OpenViduSessions: RoomSessions {
    /// A socket of a member.
    struct Connection {
        let place: OpenViduPlace
        let peer: PeerID
        let socket: any SignallingSocket
        let outbox: Outbox
        var allowance: FrameAllowance
        var lastHeard: Instant
        /// How long it may be silent.
        var silence: Duration
    }

    /// A client that has joined, with or without a socket.
    struct Member {
        let peer: PeerID
        let owner: TokenOwner
        /// The secret by which it comes back.
        let rpcSession: String
        var place: OpenViduPlace?
        /// Since when it has no socket; nil while it has one.
        var lostAt: Instant?
        /// What it knows of the other peers.
        var told: [PeerID: [Participant]] = [:]
        var publication: Publication?
        /// What it receives, by the streams' ids.
        var viewed: [String: Viewed] = [:]
        /// Tracks that others have muted; its client has not.
        var mutedByOthers: Set<TrackID> = []
        /// The recording that its client knows of; nil for none.
        var recording: RoomRecording.Label?
        /// Whether its streams are in recordings of single streams.
        var isRecorded = true
        /// What an application server had prepared for it.
        var grant: OpenViduBook.Grant?

        /// Whether a recorder does not keep its place from another one any more: it has died.
        func hasLostItsPlace(at now: Instant) -> Bool {
            lostAt.map { now - $0 >= OpenViduLimits.recorderAbsence } ?? false
        }
    }

    struct Publication {
        let stream: String
        var connection: ConnectionKey
    }

    struct Viewed {
        let connection: ConnectionKey
        let tracks: [TrackID]
    }

    /// A socket that closes when its client has read the rest, or at the deadline.
    private struct Farewell {
        let place: OpenViduPlace
        let outbox: Outbox
        let deadline: Instant
    }

    let limits: OpenViduLimits
    var connections: [OpenViduPlace: Connection] = [:]
    var members: [PeerID: Member] = [:]
    /// The members by the secrets by which they come back. Strangers may guess those as fast as they
    /// like, so a guess searches nothing.
    var returning: [String: PeerID] = [:]
    var roster = Roster()
    /// Why peers leave that were put out, and why streams end that others have ended, until all have
    /// been told.
    private var leaveReasons: [PeerID: String] = [:]
    var unpublishReasons: [PeerID: String] = [:]
    private var farewells: [Farewell] = []
    private var counter: UInt64 = 0
    let scribe: OpenViduScribe

    init(limits: OpenViduLimits, observer: (any OpenViduObserver)? = nil) {
        self.limits = limits
        scribe = OpenViduScribe(observer)
    }

    // MARK: - RoomSessions

    func tell(_ peers: [PeerID], _ event: RoomEvent, in host: isolated RoomHost) {
        let listeners = peers.filter { members[$0] != nil }
        switch event {
        case .peerJoined(let peer), .peerReceded(let peer), .peerUpdated(let peer),
            .tracksAdded(_, let peer), .tracksUpdated(_, let peer):
            refresh(peer.id, for: listeners, in: host)
            scribe.look(at: peer.id, of: self, in: host)
        case .tracksRemoved(_, let peer):
            refresh(
                peer.id, for: listeners, reason: unpublishReasons[peer.id] ?? "unpublish", in: host)
            scribe.look(at: peer.id, of: self, in: host)
        case .peerLeft(let peer):
            let reason =
                leaveReasons[peer.id]
                ?? (peer.isReachable ? "disconnect" : "networkDisconnect")
            refresh(peer.id, for: listeners, reason: reason, in: host)
            scribe.look(at: peer.id, reason: reason, of: self, in: host)
        case .messageSent(let message):
            tell(message, to: listeners, in: host)
        case .trackMuteRequested(let track, let isMuted, _):
            for listener in listeners {
                mute(isMuted, of: listener, in: host) { $0.id == track.id }
            }
        case .mutesRequested(let request, _):
            for listener in listeners {
                mute(request.isMuted, of: listener, in: host) { request.includes($0) }
            }
        case .policyChanged(let name):
            guard let role = host.room.policy.role(name) else { break }
            for listener in listeners {
                push(
                    .connectionPropertyChanged,
                    [
                        "property": "role",
                        "newValue": .string(OpenViduRole(role).rawValue),
                    ], to: listener, in: host)
            }
        case .hlsChanged, .recordingChanged, .roomRecordingChanged:
            for listener in listeners { tellRecording(to: listener, in: host) }
        case .roleOffered, .rtmpChanged, .storeChanged, .pollStarted, .pollStopped, .pollCounted,
            .unmuteHeld, .noticed:
            // Without a counterpart in this protocol.
            break
        }
    }

    func dismiss(_ peers: [Peer], _ dismissal: Dismissal, in host: isolated RoomHost) {
        let reason =
            dismissal.isRoomEnd
            ? "sessionClosedByServer"
            : dismissal.requester == nil ? "forceDisconnectByServer" : "forceDisconnectByUser"
        if dismissal.isRoomEnd { scribe.roomEnded(reason: reason) }
        for peer in peers {
            leaveReasons[peer.id] = reason
            guard members[peer.id] != nil else { continue }
            push(
                .participantEvicted,
                ["connectionId": .string(peer.id.rawValue), "reason": .string(reason)],
                to: peer.id, in: host)
            sayFarewell(to: peer.id, in: host)
        }
    }

    func forget(_ peer: PeerID) {
        if let stream = members[peer]?.publication?.stream { roster.withdraw(stream) }
        if let place = members[peer]?.place {
            let connection = connections.removeValue(forKey: place)
            connection?.outbox.close(code: CloseCode.normal, reason: "left")
        }
        if let member = members.removeValue(forKey: peer) { returning[member.rpcSession] = nil }
        roster.forget(peer)
        scribe.departed(peer, reason: leaveReasons[peer] ?? "disconnect")
    }

    func received(_ event: MediaEvent, in host: isolated RoomHost) async {
        guard case .connection(let peer, let key, .failed) = event,
            members[peer]?.publication?.connection == key
        else { return }
        push(
            .mediaError, ["error": "the connection of the published stream has failed"], to: peer,
            in: host)
    }

    func handleTimeout(at now: Instant, in host: isolated RoomHost) {
        scribe.lookAround(self, in: host)
        leaveReasons = [:]
        unpublishReasons = [:]
        for connection in connections.values where now - connection.lastHeard > connection.silence {
            host.log(.info, "connection is silent", connection.peer)
            drop(connection, code: CloseCode.goingAway, reason: "no ping for too long", in: host)
        }
        for farewell in farewells where farewell.deadline <= now {
            farewell.outbox.close(code: CloseCode.normal, reason: "left")
        }
        farewells.removeAll { $0.deadline <= now }
    }

    func closeAll(reason: String, in host: isolated RoomHost) {
        scribe.lookAround(self, in: host)
        for farewell in farewells {
            farewell.outbox.close(code: CloseCode.normal, reason: reason)
        }
        for connection in connections.values {
            connection.outbox.close(code: CloseCode.normal, reason: reason)
        }
        farewells = []
        connections = [:]
    }

    func isConnected(_ peer: PeerID) -> Bool { members[peer]?.place != nil }

    var isEmpty: Bool { connections.isEmpty && farewells.isEmpty }

    // MARK: - Connections

    func connection(
        of peer: PeerID, over socket: any SignallingSocket, at now: Instant
    ) -> Connection {
        counter += 1
        let connection = Connection(
            place: OpenViduPlace(rawValue: counter), peer: peer, socket: socket,
            outbox: Outbox(frames: limits.outboxFrames, bytes: limits.outboxBytes),
            allowance: FrameAllowance(
                framesPerSecond: limits.framesPerSecond, framesBurst: limits.framesBurst,
                bytesPerSecond: limits.bytesPerSecond, bytesBurst: limits.bytesBurst, at: now),
            lastHeard: now, silence: limits.silence)
        connection.outbox.startWriting(to: socket)
        return connection
    }

    /// See ``OpenViduEntrance/closed(_:)``.
    func closed(_ place: OpenViduPlace, in host: isolated RoomHost) async {
        if let index = farewells.firstIndex(where: { $0.place == place }) {
            farewells.remove(at: index).outbox.abandon()
        }
        guard let connection = connections[place] else { return }
        lose(connection, in: host)
        connection.outbox.abandon()
        await host.settle()
    }

    /// Closes a connection at once and drops its unsent frames.
    func drop(
        _ connection: Connection, code: UInt16, reason: String, in host: isolated RoomHost
    ) {
        lose(connection, in: host)
        connection.outbox.abandon()
        // Unstructured, because the writer may be waiting for this very socket.
        Task { await connection.socket.close(code: code, reason: reason) }
    }

    private func lose(_ connection: Connection, in host: isolated RoomHost) {
        connections[connection.place] = nil
        guard members[connection.peer]?.place == connection.place else { return }
        let now = host.clock.now()
        members[connection.peer]?.place = nil
        members[connection.peer]?.lostAt = now
        host.log(.info, "connection lost", connection.peer)
        host.room.connectionLost(connection.peer, at: now)
    }

    /// The client has left or was put out: it closes its socket itself.
    func sayFarewell(to peer: PeerID, in host: isolated RoomHost) {
        guard let place = members[peer]?.place, let connection = connections[place] else { return }
        connections[place] = nil
        members[peer]?.place = nil
        farewells.append(
            Farewell(
                place: place, outbox: connection.outbox,
                deadline: host.clock.now() + OpenViduLimits.closing))
    }

    // MARK: - Frames

    func push(
        _ method: OpenViduNotification, _ parameters: [String: JSONValue], to peer: PeerID,
        in host: isolated RoomHost
    ) {
        guard isConnected(peer) else { return }
        push(OpenViduFrame.notification(method, parameters), to: peer, in: host)
    }

    /// Sends a frame that others may get too.
    func push(_ frame: String, to peer: PeerID, in host: isolated RoomHost) {
        guard let place = members[peer]?.place else { return }
        enqueue(frame, on: place, in: host)
    }

    func enqueue(_ text: String, on place: OpenViduPlace, in host: isolated RoomHost) {
        guard let connection = connections[place],
            !connection.outbox.append(text, at: host.clock.now())
        else { return }
        host.log(.warning, "connection reads too slowly", connection.peer)
        drop(connection, code: CloseCode.tryAgainLater, reason: "reads too slowly", in: host)
    }
}
