public import MediaKernel
public import Rooms

/// The client's side of the 100ms protocol, without a socket: turns calls into frames with ids and
/// frames into typed events, and schedules pings.
///
/// Drain ``poll()`` after every call. The same value serves every socket of a session: call
/// ``opened(at:)`` when one opens and ``closed()`` when it closes.
public struct SignallingClient: Sendable {
    public enum Output: Hashable, Sendable {
        /// One text frame for the socket.
        case send(String)
        case event(SignallingEvent)
    }

    /// The time between two pings, `docs/PROTOCOL.md` section 3.
    public static let pingInterval: Duration = .seconds(3)
    /// The silence after which a connection counts as lost. Any frame ends a silence.
    public static let silenceMaximum: Duration = .seconds(12)
    /// Calls without an answer; beyond this number the oldest are forgotten.
    public static let pendingMaximum = 256

    private enum Link: Hashable, Sendable {
        case down
        case up(nextPing: Instant, lastHeard: Instant)
    }

    private var link = Link.down
    private var pending: [RequestID: ClientMethod] = [:]
    private var pendingOrder: [RequestID] = []
    private var outputs = PollQueue<Output>()
    private var random: SeededRandom

    /// - Parameter seed: the seed for the calls' ids.
    public init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// The next frame or event, until `nil`.
    public mutating func poll() -> Output? { outputs.poll() }

    // MARK: - The socket

    /// A socket is open. The first ping is sent at once, as in the web client.
    public mutating func opened(at now: Instant) {
        forgetPending()
        link = .up(nextPing: now, lastHeard: now)
        handleTimeout(at: now)
    }

    /// The socket has closed. Pending calls will not be answered.
    public mutating func closed() {
        forgetPending()
        link = .down
    }

    public var nextDeadline: Instant? {
        switch link {
        case .down: nil
        case .up(let nextPing, let lastHeard): min(nextPing, lastHeard + Self.silenceMaximum)
        }
    }

    public mutating func handleTimeout(at now: Instant) {
        switch link {
        case .down:
            return
        case .up(_, let lastHeard) where now - lastHeard >= Self.silenceMaximum:
            closed()
            outputs.append(.event(.silent))
        case .up(let nextPing, let lastHeard):
            guard nextPing <= now else { return }
            link = .up(nextPing: now + Self.pingInterval, lastHeard: lastHeard)
            call(.ping, PingPayload(timestamp: now.nanoseconds / 1_000_000))
        }
    }

    /// A text frame arrived. Never throws: an unreadable frame becomes an `.ignored` event.
    public mutating func received(_ text: String, at now: Instant) {
        if case .up(let nextPing, _) = link { link = .up(nextPing: nextPing, lastHeard: now) }
        do {
            let frame = try IncomingFrame(text, limits: .own)
            if let id = frame.head.id {
                try receivedResponse(to: id, frame)
            } else if let method = frame.head.method {
                try receivedNotification(method, frame)
            } else {
                ignore("a frame with neither id nor method")
            }
        } catch {
            ignore(error.message)
        }
    }

    // MARK: - What a client says

    /// - Parameter offer: SDP of the publish connection; `nil` for a peer without media.
    @discardableResult
    public mutating func join(
        name: String, metadata: String = "", offer: String?
    ) -> RequestID {
        call(
            .join,
            JoinParameters(
                name: name, data: metadata,
                offer: offer.map { DescriptionPayload(type: .offer, sdp: $0) }))
    }

    /// Renegotiates the publish connection.
    ///
    /// - Parameter tracks: all tracks that we publish.
    @discardableResult
    public mutating func offer(_ sdp: String, tracks: [TrackPayload]) -> RequestID {
        call(
            .offer,
            OfferParameters(
                desc: DescriptionPayload(type: .offer, sdp: sdp), tracks: Self.byID(tracks)))
    }

    /// Answers the server's offer of the subscribe connection.
    public mutating func answer(_ sdp: String) {
        notify(.answer, AnswerParameters(desc: DescriptionPayload(type: .answer, sdp: sdp)))
    }

    public mutating func trickle(_ candidate: CandidatePayload, target: TransportTarget) {
        notify(.trickle, TrickleParameters(target: target, candidate: candidate))
    }

    /// Mutes or unmutes tracks, or repeats all tracks' states after a reconnection.
    public mutating func updateTracks(_ tracks: [TrackPayload]) {
        notify(.trackUpdate, ["tracks": Self.byID(tracks)])
    }

    @discardableResult
    public mutating func broadcast(
        _ message: String, type: String = "chat", roles: [String]? = nil, to peer: PeerID? = nil
    ) -> RequestID {
        call(
            .broadcast,
            BroadcastParameters(
                info: MessagePayload(message: OpaqueJSON(string: message), type: type),
                roles: roles,
                peerID: peer))
    }

    @discardableResult
    public mutating func updatePeer(name: String? = nil, metadata: String? = nil) -> RequestID {
        call(.peerUpdate, PeerUpdateParameters(name: name, data: metadata))
    }

    @discardableResult
    public mutating func startHLS(
        variants: [HLSVariantRequest]? = nil, recording: HLSRecordingRequest? = nil
    ) -> RequestID {
        call(.hlsStart, HLSStartParameters(variants: variants, hlsRecording: recording))
    }

    @discardableResult
    public mutating func stopHLS() -> RequestID { call(.hlsStop, HLSStopParameters()) }

    /// Announces that the client leaves. Close the socket with 1000 after it.
    public mutating func leave(reason: String = "sdk request") {
        notify(.leave, LeaveParameters(clientReason: reason))
    }

    /// One call on the data channel `ion-sfu`: the layer of a video that we want to receive.
    public mutating func preferVideo(
        _ track: TrackID, layer: LayerPreference
    ) -> (id: RequestID, text: String)? {
        let id = makeID()
        let frame = DataRequestFrame(
            id: id, method: DataChannelMethod.preferVideoTrackState.rawValue,
            params: PreferVideoParameters(trackID: track, maxSpatialLayer: layer))
        return (try? FrameCodec.text(of: frame)).map { (id, $0) }
    }

    /// The same for audio: whether we want to receive it.
    public mutating func preferAudio(
        _ track: TrackID, isSubscribed: Bool
    ) -> (id: RequestID, text: String)? {
        let id = makeID()
        let frame = DataRequestFrame(
            id: id, method: DataChannelMethod.preferAudioTrackState.rawValue,
            params: PreferAudioParameters(trackID: track, subscribed: isSubscribed))
        return (try? FrameCodec.text(of: frame)).map { (id, $0) }
    }

    // MARK: - Frames

    @discardableResult
    mutating func call(_ method: ClientMethod, _ params: some Encodable) -> RequestID {
        let id = makeID()
        if pendingOrder.count >= Self.pendingMaximum {
            pending[pendingOrder.removeFirst()] = nil
        }
        pending[id] = method
        pendingOrder.append(id)
        send(CallFrame.call(method, params, id: id))
        return id
    }

    private mutating func notify(_ method: ClientMethod, _ params: some Encodable) {
        send(CallFrame.clientNotification(method, params))
    }

    private mutating func send(_ frame: some Encodable) {
        do {
            outputs.append(.send(try FrameCodec.text(of: frame)))
        } catch {
            ignore(error.message)
        }
    }

    mutating func emit(_ event: SignallingEvent) { outputs.append(.event(event)) }

    mutating func ignore(_ reason: String) { emit(.ignored(reason)) }

    private mutating func receivedResponse(
        to id: RequestID, _ frame: IncomingFrame
    ) throws(SignallingError) {
        guard let method = pending.removeValue(forKey: id) else {
            return ignore("an answer to a call that was not made: \(id)")
        }
        pendingOrder.removeAll { $0 == id }
        if let error = frame.head.error { return emit(.refused(id, method, error)) }
        switch method {
        case .ping:
            break
        case .join:
            let answer = try? frame.result(AnswerResult.self)
            emit(.joined(id, sdp: answer?.sdp ?? ""))
        case .offer:
            let answer = try frame.result(AnswerResult.self)
            emit(.answered(id, sdp: answer.sdp))
        case .broadcast:
            let sent = try frame.result(BroadcastResult.self)
            emit(.sent(id, sent))
        case .groupJoin, .groupLeave:
            let groups = try frame.result(GroupsResult.self)
            emit(.groups(id, groups.groups))
        case .peerNameSearch:
            let found = try frame.result(PeerSearchResult.self)
            emit(.peersFound(id, found))
        case .answer, .trickle, .leave, .analytics, .trackUpdate, .endRoom, .peerLeaveRequest,
            .roleChangeRequest, .roleChange, .trackUpdateRequest, .changeTrackMuteStateRequest,
            .hlsStart, .hlsStop, .hlsTimedMetadata, .rtmpStart, .rtmpStop, .peerUpdate, .getPeer,
            .findPeer, .peerIterNext, .groupAdd, .groupRemove, .setMetadata, .getMetadata,
            .listenMetadataChange, .pollInfoSet, .pollInfoGet, .pollQuestionsSet,
            .pollQuestionsGet, .pollStart, .pollStop, .pollResponse, .pollResponses, .pollList,
            .pollResult, .pollLeaderboard, .groupCall:
            emit(.done(id, method))
        }
    }

    private mutating func forgetPending() {
        pending = [:]
        pendingOrder = []
    }

    private static func byID(_ tracks: [TrackPayload]) -> [String: TrackPayload] {
        Dictionary(tracks.map { ($0.trackID.rawValue, $0) }) { _, last in last }
    }

    /// A version 4 UUID, as in the web client; random enough to tell calls apart.
    private mutating func makeID() -> RequestID {
        let high = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let digits = Hexadecimal.text(high) + Hexadecimal.text(low)
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            String(digits.dropFirst(range.lowerBound).prefix(range.count))
        }
        return .string(groups.joined(separator: "-"))
    }
}
