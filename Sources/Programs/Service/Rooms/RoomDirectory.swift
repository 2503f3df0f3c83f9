public import Catalogue
import Clocks
public import ControlAPI
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

/// All rooms of this server: each is made when the first peer comes and let go when it has been
/// empty for a while.
public actor RoomDirectory: RoomDoor, RoomStreamingObserver, ServiceLifecycle.Service {
    /// How long an empty room is kept, so that a reload does not take it down and make it anew.
    static let emptyKept: Duration = .seconds(5)
    static let tickInterval: Duration = .seconds(1)

    private struct Entry {
        let host: RoomHost
        let hundredMS: HundredMSEntrance
        let media: MediaRoom
        /// What it opened with, until it is let go.
        let policy: RoomPolicy
        /// Hands the media plane's events to the host, until the media is closed.
        let pump: Task<Void, Never>
        /// As it is by now; what it began with is in the host's room.
        var record: CatalogueRoom
        /// Which look into the catalogue the record is of.
        var look = 0
        var timer = SessionTimer()
        /// Its last tick is not over yet.
        var isTicking = false
        /// What it is told of its streams, one after the other.
        var telling: Task<Void, Never>?
        /// Sockets on their way in, of which the host does not know yet.
        var arrivals = 0
        var emptyTicks = 0
    }

    private let policies: PolicyStore
    private let settings: RoomSettings
    let registry: RoomRegistry
    private let media: MediaServer
    private let streaming: any LiveStreaming
    private let streamControl: StreamService
    private let opensTokens: Bool
    /// Nil where clients need none.
    private let turn: TURNRelay?
    /// Nil when nobody is to be told of rooms.
    private let journal: RoomJournal?
    private let logger: Logger
    private var entries: [RoomID: Entry] = [:]
    /// Rooms that are being made, so that two peers who come at once meet.
    private var making: [RoomID: Task<Entry, any Error>] = [:]
    /// The streams of rooms as last heard, for rooms that are made later: a stream that was
    /// started by HTTP may be there before anybody is.
    private var streams: [RoomID: HLSState] = [:]
    /// The same of recordings without a live stream.
    private var recordings: [RoomID: RoomRecording] = [:]
    /// Into the catalogue, for what the control API has changed.
    private var looks = 0
    private var isWritingDown = false
    private var random = SystemRandomNumberGenerator()

    init(
        policies: PolicyStore, settings: RoomSettings, registry: RoomRegistry, media: MediaServer,
        streaming: any LiveStreaming, streams: StreamService, opensTokens: Bool, turn: TURNRelay?,
        journal: RoomJournal?, logger: Logger
    ) {
        self.policies = policies
        self.settings = settings
        self.registry = registry
        self.media = media
        self.streaming = streaming
        streamControl = streams
        self.opensTokens = opensTokens
        self.turn = turn
        self.journal = journal
        self.logger = logger
    }

    // MARK: Life

    /// Lets the rooms' time pass until the server is stopped, then ends them all.
    public func run() async {
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            try? await Task.sleep(for: Self.tickInterval)
            tick()
        }
        await withDiscardingTaskGroup { group in
            for id in Array(entries.keys) {
                group.addTask { await self.remove(id, reason: "server is shutting down") }
            }
        }
        await media.shutdown()
    }

    /// Lets a second of each room's time pass, in a task of its own: one that is busy delays no
    /// other, and has its next one when it is done.
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
        let isEmpty = await host.isEmpty
        // Another room may have its name by now.
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

    var occupancies: [RoomOccupancy] { entries.values.map { RoomOccupancy($0.host.outline) } }

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
        // Once more than before its socket was opened: many may have come since.
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

    /// Of a room that exists now.
    func host(of id: RoomID) -> RoomHost? { entries[id]?.host }

    private func make(_ id: RoomID) async throws -> Entry {
        let policy = try await policies.policy(of: id)
        let mediaRoom = try await media.makeRoom(
            id, acceptsOrientation: settings.acceptsOrientation, channel: HundredMS.channel)
        let record = await registry.opened(id)
        var limits = settings.limits
        if record.size > 0 { limits.visiblePeers = min(record.size, limits.peers) }
        // What a peer is told when it is back waits in its outbox beside everything else.
        limits.recentEvents = min(limits.recentEvents, settings.signalling.outboxFrames / 2)
        limits.recentBytes = min(limits.recentBytes, settings.signalling.outboxBytes / 4)
        let room = Room(
            id: id, name: record.name, description: record.description, policy: policy.policy,
            limits: limits, isLocked: !record.isEnabled, seed: random.next())
        let host = RoomHost(
            room: room, media: mediaRoom, streaming: streaming,
            protocols: [HundredMS(limits: settings.signalling), WHIP()],
            journal: { [journal, registry, streamControl] note, time in
                // The room does not wait for the catalogue: it knows the fact itself.
                if note == .roomLocked { Task { await registry.locked(id) } }
                if case .roomEnded = note {
                    let now = MonotonicClock.now
                    Task { await streamControl.roomEnded(id, at: now) }
                }
                journal?.note(
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
        logger.info("room opened", metadata: ["room": "\(id)"])
        return entry
    }

    // MARK: RoomDoor

    public func initialConfiguration(
        peer: PeerID?, claims: RoomTokenClaims
    ) async throws(APIError) -> InitialConfiguration {
        let role = try await check(claims, peer: peer)
        // Cameras may come in layers, and who cannot receive them is told.
        return InitialConfiguration(
            iceServers: role.isHidden ? [] : relays(for: peer),
            enabledFlags: ["simulcast", "subscribeDegradation"])
    }

    /// Makes the room of a client that is let in, if there is none yet.
    func admitted(_ claims: RoomTokenClaims) async throws(APIError) -> RoomHost {
        _ = try await check(claims, peer: nil)
        do {
            let host = try await entry(claims.room).host
            // An empty room is kept until the client has joined.
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

    /// For everybody but a recorder, which is beside the server.
    private func relays(for peer: PeerID?) -> [InitialConfiguration.ICEServer] {
        guard let turn else { return [] }
        let peer = peer ?? PeerID(String(random.next(), radix: 36))
        return [turn.server(for: peer, at: UnixTime.now)]
    }

    public func admit(peer: PeerID, claims: RoomTokenClaims) async throws(APIError) {
        _ = try await check(claims, peer: peer)
    }

    /// - Returns: the role that is asked for, which may be had.
    private func check(
        _ claims: RoomTokenClaims, peer: PeerID?
    ) async throws(APIError) -> Role {
        guard let role = try await policy(of: claims.room).role(claims.role) else {
            throw .unknownRole(claims.role)
        }
        // Not only when the socket is opened: browsers do not say why one was not.
        try checkPlace(for: claims.room)
        // A recorder comes where somebody who may has started a stream.
        guard !role.isHidden else { return role }
        // Who is in a room may come back to it, whatever has become of the room.
        if let peer, let host = entries[claims.room]?.host, await host.isHere(peer) {
            return role
        }
        try await registry.checkOpen(claims.room)
        return role
    }

    public func isHere(_ peer: PeerID, claims: RoomTokenClaims) async -> Bool {
        await entries[claims.room]?.host.isHere(
            peer, of: TokenOwner(userID: claims.user, tokenID: claims.tokenID)) ?? false
    }

    public func open(
        peer: PeerID, claims: RoomTokenClaims, client: ClientKind, authority: String,
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
        let connection = await room.open(
            peer: peer, claims: SignallingClaims(claims, of: client, at: authority),
            socket: Socket(connection: socket))
        entries[claims.room]?.arrivals -= 1
        // A refused peer has been told; its socket is read to its end so that the words arrive.
        for await text in messages {
            if let connection { await room.received(text, on: connection) }
        }
        if let connection { await room.closed(connection) }
    }

    /// Of what is known: no room is waited for.
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

    /// A room keeps what it opened with.
    private func roomPolicy(of room: RoomID) async throws(APIError) -> RoomPolicy {
        if let entry = entries[room] { return entry.policy }
        return try await policies.policy(of: room)
    }

    public func roomChanged(_ room: CatalogueRoom, saysEnabled: Bool) async {
        // A room that is being made may have been looked up before the change.
        if let task = making[room.id] { _ = try? await task.value }
        looks += 1
        let look = looks
        let room = await registry.changed(room, saysEnabled: saysEnabled)
        // Changes may be heard of, and looks be answered, in another order than they were made in.
        // Each look is after its change, so the last one sees them all.
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
        do throws(APIError) {
            return try await roomPolicy(of: room).streams
        } catch {
            throw .unknownPolicy(([error.message] + error.details).joined(separator: ": "))
        }
    }

    public func streamingChanged(room: RoomID, streams: [LiveStream]) {
        let state = HLSState(streams)
        self.streams[room] = streams.contains(where: \.status.isOnAir) ? state : nil
        tell(room) { await $0.hlsChanged(state) }
    }

    public func recordingChanged(room: RoomID, recording: LiveStream) {
        let state = RoomRecording(recording)
        recordings[room] = recording.status.isOnAir ? state : nil
        tell(room) { await $0.recordingChanged(state) }
    }

    /// In order, and without waiting for the room: the others' streams are told after it.
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

private struct Socket: SignallingSocket {
    let connection: WebSocketConnection

    func send(_ text: String) async -> Bool { await connection.send(text) }

    func close(code: UInt16, reason: String) async { connection.close(code: code, reason: reason) }
}
