public import Catalogue
import Clocks
public import ControlAPI
import GroupCalls
import HTTPTypes
import HundredMS
import Logging
public import MediaKernel
import MediaServer
import RoomHost
public import Rooms
public import ServiceLifecycle
public import Streams
public import Tokens
import WHIP

/// All rooms of this server. A room is created for its first peer, and removed when it has been
/// empty for a while.
public actor RoomDirectory: SignallingGateway, RoomStreamingObserver, ServiceLifecycle.Service {
    /// How long an empty room is kept, so that a page reload does not recreate it.
    static let emptyKept: Duration = .seconds(5)
    static let tickInterval: Duration = .seconds(1)

    private struct Entry {
        let host: RoomHost
        let hundredMS: HundredMSEntrance
        let media: MediaRoom
        /// The room's policy while it is open.
        let policy: RoomPolicy
        /// Passes the media plane's events to the host until the media room is closed.
        let pump: Task<Void, Never>
        /// The current record; the host's room has the initial one.
        var record: CatalogueRoom
        /// The number of the catalogue look-up that the record is from.
        var look = 0
        var timer = SessionTimer()
        /// The last tick is still running.
        var isTicking = false
        /// Tells the room about its streams, one update after the other.
        var telling: Task<Void, Never>?
        /// Sockets about to open that the host does not know yet.
        var arrivals = 0
        var emptyTicks = 0
    }

    private let policies: PolicyStore
    private let settings: RoomSettings
    let registry: RoomRegistry
    private let media: MediaServer
    private let streaming: any LiveStreaming
    private let streamControl: StreamService
    private let protocols: [any RoomProtocol]
    private let opensTokens: Bool
    /// Nil if clients need no relay.
    private let turn: TURNRelay?
    private var companions: RoomCompanions
    let logger: Logger
    private var entries: [RoomID: Entry] = [:]
    /// Rooms being created, so that two peers who arrive at once meet in one room.
    private var making: [RoomID: Task<Entry, any Error>] = [:]
    /// The last known streams of each room, for rooms created later: a stream started over HTTP may
    /// exist before any peer joins.
    private var streams: [RoomID: HLSState] = [:]
    /// The same for recordings without a live stream.
    private var recordings: [RoomID: RoomRecording] = [:]
    /// The same for pushes to other servers.
    private var pushes: [RoomID: RTMPState] = [:]
    /// Counts look-ups in the catalogue, due to changes by the control API.
    private var looks = 0
    private(set) var whereabouts = UserWhereabouts()
    private var isWritingDown = false
    private var random = SystemRandomNumberGenerator()

    /// - Parameter protocols: by which clients join, besides 100ms' and WHIP, of which this is the
    ///   gateway.
    init(
        policies: PolicyStore, settings: RoomSettings, registry: RoomRegistry, media: MediaServer,
        streaming: any LiveStreaming, streams: StreamService, opensTokens: Bool, turn: TURNRelay?,
        recorder: SessionRecorder?, calls: CallDesk? = nil,
        protocols: [any RoomProtocol] = [], logger: Logger
    ) {
        self.policies = policies
        self.settings = settings
        self.registry = registry
        self.media = media
        self.streaming = streaming
        streamControl = streams
        self.opensTokens = opensTokens
        self.turn = turn
        self.protocols = [HundredMS(limits: settings.signalling), WHIP()] + protocols
        companions = RoomCompanions(recorder: recorder, calls: calls)
        self.logger = logger
    }

    /// Tells a watcher what happens in the rooms.
    func observe(by watcher: any RoomWatcher) { companions.watcher = watcher }

    // MARK: Life

    /// Ticks the rooms until the server is stopped, then ends them all.
    public func run() async {
        await repeating(every: Self.tickInterval) { await self.tick() }
        await withDiscardingTaskGroup { group in
            for id in Array(entries.keys) {
                group.addTask { await self.remove(id, reason: "server is shutting down") }
            }
        }
        await media.shutdown()
    }

    /// Ticks each room once, in a task of its own: a busy room delays no other, and skips ticks
    /// until it is done.
    func tick() {
        if !isWritingDown {
            isWritingDown = true
            Task {
                await registry.writeDown()
                isWritingDown = false
            }
        }
        for (id, entry) in entries where !entry.isTicking {
            entries[id]?.isTicking = true
            Task { await tick(id, entry.host) }
        }
    }

    private func tick(_ id: RoomID, _ host: RoomHost) async {
        await host.tick()
        let outline = host.outline
        let maximum = entries[id]?.record.durationMaximum
        let isOver = entries[id]?.timer.isOver(
            outline.session?.id, maximum: maximum, at: RoomClock.system.now())
        if isOver == true { await host.end(reason: "max duration reached") }
        await streamControl.seen(id, RoomOccupancy(outline))
        await companions.watcher?.seen(id, RoomOccupancy(outline))
        let isEmpty = await host.isEmpty
        // A new room may have this id by now.
        guard let entry = entries[id], entry.host === host else { return }
        entries[id]?.isTicking = false
        guard isEmpty, entry.arrivals == 0 else {
            entries[id]?.emptyTicks = 0
            return
        }
        entries[id]?.emptyTicks += 1
        let kept = Self.tickInterval * (entry.emptyTicks + 1)
        if kept >= Self.emptyKept { await remove(id, reason: "empty") }
    }

    var occupancies: [RoomID: RoomOccupancy] {
        entries.mapValues { RoomOccupancy($0.host.outline) }
    }

    private func remove(_ id: RoomID, reason: String) async {
        guard let entry = entries.removeValue(forKey: id) else { return }
        await entry.host.endAll(reason: reason)
        await entry.media.close()
        await entry.pump.value
        logger.info("room closed", metadata: ["room": "\(id)", "reason": "\(reason)"])
    }

    private func entry(_ id: RoomID) async throws -> Entry {
        if let entry = entries[id] { return entry }
        if let task = making[id] { return try await task.value }
        // Checked again since the socket was opened: many rooms may have opened since.
        try checkPlace(for: id)
        let task = Task { try await self.make(id) }
        making[id] = task
        defer { making[id] = nil }
        return try await task.value
    }

    private func checkPlace(for id: RoomID) throws(APIError) {
        let others = making.keys.count { entries[$0] == nil && $0 != id }
        guard entries[id] != nil || entries.count + others < settings.maximum else {
            throw .unavailable("too many rooms", "there may be \(settings.maximum)")
        }
    }

    /// As which Jitsi's clients come; nil if they do not.
    var jitsiRole: String? { settings.jitsiRole }

    /// The host of a room that is currently open.
    func host(of id: RoomID) -> RoomHost? { entries[id]?.host }

    /// The participants of each room that has some.
    func participants() -> [RoomID: Int] {
        entries.mapValues { $0.host.outline.peers }.filter { $0.value > 0 }
    }

    /// Waits until a room that is being created is there.
    func awaitMaking(of id: RoomID) async {
        if let task = making[id] { _ = try? await task.value }
    }

    private func openCall(_ id: RoomID) async throws(APIError) -> GroupCall? {
        do throws(CallError) {
            return try await companions.calls?.openCall(id)
        } catch {
            throw APIError(error)
        }
    }

    /// Why a room cannot be used as the call that it is or was; nil for an ordinary room.
    private func refusal(of id: RoomID) async -> CallError? {
        do throws(CallError) {
            _ = try await companions.calls?.openCall(id)
            return nil
        } catch {
            return error
        }
    }

    private func make(_ id: RoomID) async throws -> Entry {
        let call = try await openCall(id)
        let policy = try await policies.policy(of: id).fitted(to: call)
        let mediaRoom = try await media.makeRoom(
            id, acceptsOrientation: settings.acceptsOrientation, channel: HundredMS.channel)
        let record = await registry.opened(id)
        var limits = settings.limits
        if record.size > 0 { limits.visiblePeers = min(record.size, limits.peers) }
        limits = limits.fitted(to: call)
        // Events replayed to a returning peer share its outbox with everything else.
        limits.recentEvents = min(limits.recentEvents, settings.signalling.outboxFrames / 2)
        limits.recentBytes = min(limits.recentBytes, settings.signalling.outboxBytes / 4)
        let room = Room(
            id: id, name: record.name, description: record.description,
            defaultImage: call?.defaultImage, policy: policy.policy,
            limits: limits, isLocked: !record.isEnabled, seed: random.next())
        let host = RoomHost(
            room: room, media: mediaRoom, streaming: streaming,
            calls: companions.calls ?? NoGroupCalls(),
            protocols: protocols,
            recorder: { [recorder = companions.recorder, registry, streamControl] note, time in
                // The room does not wait for the catalogue: it knows the fact itself.
                if note == .roomLocked { Task { await registry.locked(id) } }
                if case .roomEnded = note {
                    let now = MonotonicClock.now
                    Task { await streamControl.roomEnded(id, at: now) }
                }
                recorder?.note(
                    note, in: id, name: room.name, template: room.policy.templateID, at: time)
            }, logger: logger)
        let entry = Entry(
            host: host, hundredMS: HundredMSEntrance(host),
            media: mediaRoom, policy: policy, pump: Task { await host.run() }, record: record)
        entries[id] = entry
        if let state = streams[id] {
            await host.hlsChanged(state)
        }
        if let recording = recordings[id] { await host.recordingChanged(recording) }
        if let state = pushes[id] { await host.rtmpChanged(state) }
        logger.info("room opened", metadata: ["room": "\(id)"])
        return entry
    }

    // MARK: SignallingGateway

    public func initialConfiguration(
        peer: PeerID?, claims: RoomTokenClaims
    ) async throws(APIError) -> InitialConfiguration {
        let role = try await check(claims, peer: peer)
        // Cameras may send layers, and peers are told about poor reception.
        return InitialConfiguration(
            iceServers: role.isHidden ? [] : relays(for: peer),
            enabledFlags: ["simulcast", "subscribeDegradation"])
    }

    /// Checks a client and returns its room, creating the room if necessary.
    func admitted(_ claims: RoomTokenClaims) async throws(APIError) -> RoomHost {
        _ = try await check(claims, peer: nil)
        do {
            let host = try await entry(claims.room).host
            // Keeps the empty room until the client has joined.
            entries[claims.room]?.emptyTicks = 0
            return host
        } catch let error as APIError {
            throw error
        } catch {
            logger.error(
                "room not opened", metadata: ["room": "\(claims.room)", "error": "\(error)"])
            throw .unavailable("the room cannot be opened")
        }
    }

    public func iceServers() -> [InitialConfiguration.ICEServer] { relays(for: nil) }

    /// For everybody but a recorder, which runs beside the server.
    private func relays(for peer: PeerID?) -> [InitialConfiguration.ICEServer] {
        guard let turn else { return [] }
        let peer = peer ?? PeerID(String(random.next(), radix: 36))
        return [turn.server(for: peer, at: UnixTime.now)]
    }

    public func admit(peer: PeerID, claims: RoomTokenClaims) async throws(APIError) {
        _ = try await check(claims, peer: peer)
    }

    /// - Returns: the requested role.
    private func check(
        _ claims: RoomTokenClaims, peer: PeerID?
    ) async throws(APIError) -> Role {
        guard let role = try await policy(of: claims.room).role(claims.role) else {
            throw .unknownRole(claims.role)
        }
        // Also checked here, since browsers do not report why a socket could not be opened.
        try checkPlace(for: claims.room)
        // A peer in a room may rejoin it, even if the room was closed to others.
        if let peer, let host = entries[claims.room]?.host, await host.isHere(peer) {
            return role
        }
        // A recorder joins after somebody with permission has started a stream.
        guard !role.isHidden else {
            // It is needed even while the catalogue does not answer.
            if case .deleted(let room)? = await refusal(of: claims.room) {
                throw .roomDeleted(room)
            }
            return role
        }
        try await registry.checkOpen(claims.room)
        return role
    }

    public func checkOpen(_ room: RoomID) async throws(APIError) {
        try await registry.checkOpen(room)
    }

    public func isHere(_ peer: PeerID, claims: RoomTokenClaims) async -> Bool {
        await entries[claims.room]?.host.isHere(
            peer, of: TokenOwner(userID: claims.user, tokenID: claims.tokenID)) ?? false
    }

    public func open(
        peer: PeerID, claims: RoomTokenClaims, userAgent: String, authority: String,
        socket: WebSocketConnection, messages: WebSocketMessages
    ) async {
        let entry: Entry
        do {
            entry = try await self.entry(claims.room)
        } catch let error as APIError where error.status == .serviceUnavailable {
            // 1013: try again later.
            socket.close(code: 1013, reason: error.message)
            return
        } catch {
            logger.error(
                "room not opened", metadata: ["room": "\(claims.room)", "error": "\(error)"])
            socket.close(code: 1011, reason: "the room cannot be opened")
            return
        }
        let room = entry.hundredMS
        entries[claims.room]?.arrivals += 1
        whereabouts.came(claims.user, to: claims.room)
        defer { whereabouts.left(claims.user, from: claims.room) }
        let connection = await room.open(
            peer: peer,
            claims: SignallingClaims(claims, of: ClientKind(userAgent: userAgent), at: authority),
            socket: ClientSocket(connection: socket))
        entries[claims.room]?.arrivals -= 1
        // A refused peer has its reason; reading the socket to its end ensures that the message
        // arrives.
        for await text in messages {
            if let connection { await room.received(text, on: connection) }
        }
        if let connection { await room.closed(connection) }
    }

    /// Uses the known outlines, and waits for no room.
    public func rooms() -> [RoomSummary] {
        entries.map { id, entry in
            let outline = entry.host.outline
            return RoomSummary(id: id, name: outline.name, peerCount: outline.peers)
        }.sorted { $0.id < $1.id }
    }

    public func openRoles(of room: RoomID?) async throws(APIError) -> [String] {
        guard opensTokens else { return [] }
        guard let room else { return policies.standardPolicy.policy.visibleRoleNames }
        return try await policy(of: room).visibleRoleNames
    }

    public func policy(of room: RoomID) async throws(APIError) -> Policy {
        try await roomPolicy(of: room).policy
    }

    /// An open room keeps its policy.
    private func roomPolicy(of room: RoomID) async throws(APIError) -> RoomPolicy {
        if let entry = entries[room] { return entry.policy }
        return try await policies.policy(of: room)
    }

    public func roomChanged(_ room: CatalogueRoom, saysEnabled: Bool) async {
        // A room being created may have been looked up before the change.
        await awaitMaking(of: room.id)
        looks += 1
        let look = looks
        let room = await registry.changed(room, saysEnabled: saysEnabled)
        // Changes may be reported, and look-ups answered, out of order. Each look-up follows its
        // change, so the latest look-up includes them all.
        guard let entry = entries[room.id], entry.look < look else { return }
        entries[room.id]?.look = look
        entries[room.id]?.record = room
        await entry.host.setLocked(!room.isEnabled)
    }

    // MARK: RoomStreamingObserver

    public func scene(of room: RoomID) async -> StreamScene {
        let policy = try? await policy(of: room)
        let record = await registry.known(room)
        var scene = StreamScene(
            origin: LiveStream.Origin(
                roomName: record?.name ?? room.rawValue, template: policy?.templateID ?? ""),
            isKnown: record != nil, roles: policy?.visibleRoleNames)
        guard let outline = entries[room]?.host.outline else { return scene }
        scene.isKnown = true
        scene.origin.roomName = outline.name
        if let session = outline.session {
            scene.session = session.id
            scene.origin.sessionStartedAt = session.startedAt
        }
        return scene
    }

    public func settings(of room: RoomID) async throws(LiveStreamError) -> StreamSettings? {
        if case .deleted? = await refusal(of: room) { throw .roomDeleted(room) }
        do throws(APIError) {
            // That of an open room has been fitted to its call.
            if let entry = entries[room] { return entry.policy.streams }
            let call = try await openCall(room)
            return try await policies.policy(of: room).fitted(to: call).streams
        } catch {
            throw .unknownPolicy(([error.message] + error.details).joined(separator: ": "))
        }
    }

    public func streamingChanged(room: RoomID, streams: [LiveStream]) {
        let state = HLSState(streams)
        self.streams[room] = streams.contains(where: \.status.isOnAir) ? state : nil
        tell(room) { await $0.hlsChanged(state) }
    }

    public func recordingChanged(
        room: RoomID, shown recording: LiveStream, changed: LiveStream
    ) async {
        // One that keeps no file only pushes.
        if recording.plan.recording?.isWanted == true {
            let state = RoomRecording(recording)
            recordings[room] = recording.status.isOnAir ? state : nil
            tell(room) { await $0.recordingChanged(state) }
        }
        // Second, since who waits for a recording's end then waits until the room knows of it.
        await companions.watcher?.recordingChanged(changed)
    }

    public func outputsChanged(room: RoomID, streams: [LiveStream]) {
        let state = RTMPState(streams)
        pushes[room] = state.isRunning ? state : nil
        tell(room) { await $0.rtmpChanged(state) }
    }

    /// Waits until a room knows what has happened so far.
    func told(_ room: RoomID) async { await entries[room]?.telling?.value }

    /// Tells the room in order, without waiting for it, so that others are not delayed.
    private func tell(
        _ room: RoomID, _ words: @escaping @Sendable (RoomHost) async -> Void
    ) {
        guard let entry = entries[room] else { return }
        entries[room]?.telling = Task {
            await entry.telling?.value
            await words(entry.host)
        }
    }
}

extension RoomOccupancy {
    fileprivate init(_ outline: RoomOutline) {
        self.init(peers: outline.peers, publishers: outline.publishers)
    }
}

extension SignallingClaims {
    fileprivate init(_ claims: RoomTokenClaims, of client: ClientKind, at authority: String) {
        self.init(
            room: claims.room, userID: claims.user, role: claims.role, tokenID: claims.tokenID,
            expiresAt: claims.expiresAt,
            client: client, authority: authority)
    }
}
