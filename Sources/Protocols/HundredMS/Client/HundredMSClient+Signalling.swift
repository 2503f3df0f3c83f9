import Logging
import MediaClient
import MediaKernel
import PeerConnection
import RemoteRoom
import SDP

/// Notifications from the server, and the client's reactions.
extension HundredMSClient {
    func drain() async throws {
        while let output = signalling.poll() {
            switch output {
            case .send(let text): outbox?.yield(text)
            case .event(let event): try await handle(event)
            }
        }
    }

    func handle(_ event: SignallingEvent) async throws {
        switch event {
        case .policy(let policy):
            try await policyArrived(policy)
        case .joined(_, let sdp):
            let answer = try SessionDescription.parse(sdp)
            try await onMedia { try $0.publishAnswer(answer) }
            _ = offers.answered()
            membership = .inside
            if !hasJoined { feed.send(.joined) }
            hasJoined = true
            if !published.isEmpty { try await offerPublish() }
        case .answered(_, let sdp):
            let answer = try SessionDescription.parse(sdp)
            try await onMedia { try $0.publishAnswer(answer) }
            if offers.answered() { try await offerPublish() }
            feed.send(.published)
        case .offer(let sdp):
            let offer = try SessionDescription.parse(sdp)
            signalling.answer(try await onMedia { try $0.subscribeOffer(offer) }.rendered())
        case .trickle(let target, let candidate):
            let direction: ConnectionDirection = target == .publish ? .publish : .subscribe
            let text = candidate.candidate
            try await onMedia { $0.trickle(text, direction: direction) }
        case .refused(_, .offer, let error) where isPlaceLost(error):
            try await beginAnew(because: error)
        case .fatal(let error) where isPlaceLost(error):
            try await beginAnew(because: error)
        case .refused(_, let method, let error):
            // Without these two the client cannot be in the room.
            guard method == .join || method == .offer else {
                logger.warning(
                    "call refused",
                    metadata: ["method": "\(method.rawValue)", "error": "\(error.message)"])
                break
            }
            throw RoomEnd.refused(code: error.code, message: error.message)
        case .fatal(let error):
            throw RoomEnd.refused(code: error.code, message: error.message)
        case .leaveRequested(let request):
            throw request.roomEnd
                ? RoomEnd.roomEnded(reason: request.reason)
                : RoomEnd.removed(reason: request.reason)
        case .warning(let error):
            logger.warning(
                "warned by the server",
                metadata: ["code": "\(error.code)", "error": "\(error.message)"])
        case .silent:
            throw RoomEnd.unreachable("no sign of life")
        case .peerList, .roomState, .roomInfo, .sessionInfo, .peerJoined, .peerLeft, .peerUpdated,
            .tracksAdded, .tracksUpdated, .tracksRemoved, .broadcast, .hls, .metadata,
            .roleOffered, .trackMuteRequested, .mutesRequested, .sent, .groups,
            .peersFound, .done, .ignored:
            break
        }
        report(event)
    }

    /// Reports an event's consequences to the program.
    private func report(_ event: SignallingEvent) {
        let wasListed = roster.isListed
        if !roster.received(event).isEmpty || roster.isListed != wasListed {
            feed.send(.roster(roster.remotePeers))
        }
        for request in TrackMuteRequest.requests(of: event) { feed.send(.muteRequested(request)) }
        if case .broadcast(let message) = event { feed.send(.message(RoomMessage(message))) }
    }

    /// Whether the server no longer has a place for us, though it once admitted us.
    private func isPlaceLost(_ error: ErrorPayload) -> Bool {
        hasJoined && error.code == SignallingError.placeLost(peer, kept: .zero).code
    }

    /// The server closes this socket; on the next one the client joins as if for the first time.
    private func beginAnew(because error: ErrorPayload) async throws {
        membership = .outside
        offers = PublishOffers()
        try await onMedia { try $0.beginAnew() }
        throw RoomEnd.unreachable(error.message)
    }

    /// The server speaks first; only then may a client join or return. A further policy on the same
    /// socket is that of a new role.
    func policyArrived(_ policy: PolicyPayload) async throws {
        lostAt = nil
        let isGreeting = self.policy == nil
        self.policy = policy
        if firstRole == nil { firstRole = policy.name }
        guard isGreeting else {
            logger.info("new role", metadata: ["role": "\(policy.name)"])
            return try await offerPublish()
        }
        switch membership {
        case .outside:
            membership = .joining
            let offer = try await onMedia { try $0.publishOffer(tracks: []) }
            _ = offers.begin()
            signalling.join(
                name: configuration.guest.name, metadata: configuration.guest.metadata,
                offer: offer.rendered())
        case .joining:
            break
        case .inside:
            // docs/PROTOCOL.md sect. 9: an offer on the existing connection, then all tracks'
            // states.
            offers.lost(connection: false)
            try await offerPublish()
            signalling.updateTracks(publishable.map { TrackPayload($0) })
        }
    }
}
