import Catalogue
import Clocks
import Logging
import MediaKernel
import Rooms
import ServiceLifecycle
import Synchronization

/// Records the rooms' sessions and their events in the catalogue: each change and its webhook event
/// are one transaction, in order of occurrence.
///
/// Sessions that are open at the start belong to a dead server, and are closed: its peers were
/// disconnected, and only the catalogue still knows them.
final class SessionRecorder: Service {
    /// The most changes that wait for the disk: a day of a busy server. Further ones are dropped.
    static let waitingMaximum = 100_000
    /// The same in bytes, of the bodies of events that say nothing of sessions: clients make those.
    static let waitingBytesMaximum = 64 << 20
    /// The delay before a failed save is retried.
    static let retryDelay: Duration = .seconds(1)

    /// Between two notes that events are left out.
    private static let leftOutInterval: Duration = .seconds(60)

    private struct Entry {
        var room: RoomID
        var roomName: String
        var template: String
        var note: SessionNote
        var time: UnixTime
    }

    private enum Item {
        case note(Entry)
        case delivery(CatalogueDelivery)
    }

    private let catalogue: Catalogue
    /// Nil without receivers.
    private let events: SessionEvents?
    private let logger: Logger
    private let clock: @Sendable () -> UnixTime
    private let entries: AsyncStream<Item>
    private let queue: AsyncStream<Item>.Continuation
    private let waitingBytes = Mutex(0)
    private let leftOutSaidAt = Mutex<UnixTime?>(nil)

    init(
        catalogue: Catalogue, accountID: String?, logger: Logger,
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.catalogue = catalogue
        events = accountID.map { SessionEvents(accountID: $0) }
        self.logger = logger
        self.clock = clock
        (entries, queue) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.waitingMaximum))
    }

    /// Something happened in a room. Does not wait.
    func note(
        _ note: SessionNote, in room: RoomID, name: String, template: String, at time: UnixTime
    ) {
        let entry = Entry(
            room: room, roomName: name, template: template, note: note, time: time)
        add(.note(entry), of: room)
    }

    /// An event that says nothing of sessions. Does not wait.
    func tell(_ delivery: CatalogueDelivery) {
        let bytes = delivery.body.count
        let fits = waitingBytes.withLock { waiting in
            guard waiting + bytes <= Self.waitingBytesMaximum else { return false }
            waiting += bytes
            return true
        }
        guard fits else { return notTold(delivery.room) }
        guard add(.delivery(delivery), of: delivery.room) else { return taken(delivery) }
    }

    /// An event that says nothing of sessions does not wait any more.
    private func taken(_ delivery: CatalogueDelivery) {
        waitingBytes.withLock { $0 -= delivery.body.count }
    }

    /// - Returns: false if it is dropped.
    @discardableResult
    private func add(_ item: Item, of room: RoomID) -> Bool {
        guard case .dropped = queue.yield(item) else { return true }
        notTold(room)
        return false
    }

    private func notTold(_ room: RoomID) {
        logger.error("room event not told: too many wait", metadata: ["room": "\(room)"])
    }

    /// Runs until all changes before the shutdown are saved. Changes that the disk refuses are
    /// lost, and the next server knows only what the catalogue has.
    func run() async throws {
        await withGracefulShutdownHandler {
            await closeLeftBehind()
            for await item in entries {
                switch item {
                case .note(let entry):
                    if let (change, delivery) = written(entry) { await save(change, delivery) }
                case .delivery(let delivery):
                    await save(nil, delivery)
                    taken(delivery)
                }
            }
        } onGracefulShutdown: {
            self.queue.finish()
        }
    }

    private func closeLeftBehind() async {
        let found = await asked { catalogue throws(CatalogueError) in
            try await catalogue.openSessions()
        }
        guard let sessions = found else { return }
        let now = clock()
        for session in sessions {
            for attendee in session.attendees {
                await save(
                    .left(number: attendee.number, session.id, at: now),
                    events?.left(attendee, session, .serverStopped, message: "", at: now))
            }
            await save(.closed(session.id, at: now), events?.closed(session, at: now))
            logger.warning(
                "session was left behind",
                metadata: ["room": "\(session.room)", "session": "\(session.id)"])
        }
    }

    /// - Returns: nil if the note does not concern sessions. Some events change no session.
    private func written(_ entry: Entry) -> (SessionChange?, CatalogueDelivery?)? {
        func session(_ session: Room.Session) -> OpenSession {
            OpenSession(
                id: session.id, room: entry.room, roomName: entry.roomName,
                template: entry.template, startedAt: session.startedAt)
        }
        switch entry.note {
        case .sessionOpened(let opened):
            let session = session(opened)
            return (.opened(session), events?.opened(session))
        case .peerJoined(let peer, let joined):
            let (attendee, session) = (OpenSession.Attendee(peer), session(joined))
            return (.entered(attendee, session.id), events?.joined(attendee, session))
        case .peerLeft(let peer, let left, let reason, let message):
            let (attendee, session) = (OpenSession.Attendee(peer), session(left))
            return (
                .left(number: attendee.number, session.id, at: entry.time),
                events?.left(attendee, session, reason, message: message, at: entry.time)
            )
        case .roleChanged(let peer, let current, let role, let requester):
            let (attendee, session) = (OpenSession.Attendee(peer), session(current))
            return (
                .tookRole(attendee.role, number: attendee.number, session.id),
                events?.changed(attendee, session, from: role, by: requester, at: entry.time)
            )
        case .sessionClosed(let closed):
            let session = session(closed)
            return (
                .closed(session.id, at: entry.time), events?.closed(session, at: entry.time)
            )
        case .roomEnded(let ended?, let requester, let isLocked, let reason):
            return (
                nil,
                events?.ended(
                    session(ended), by: requester, isLocked: isLocked, reason: reason,
                    at: entry.time)
            )
        case .roomLocked, .roomEnded:
            return nil
        }
    }

    private func save(_ change: SessionChange?, _ delivery: CatalogueDelivery?) async {
        let isKept = await asked { catalogue throws(CatalogueError) -> Bool in
            if let change {
                try await catalogue.save(change, telling: delivery)
                return true
            }
            guard let delivery else { return true }
            return try await catalogue.save(delivery)
        }
        if isKept == false, let delivery { leftOut(delivery) }
    }

    /// Says so now and then: whoever floods a room must not flood the log.
    private func leftOut(_ delivery: CatalogueDelivery) {
        let now = clock()
        let isSaid = leftOutSaidAt.withLock { last in
            guard last.map({ now - $0 < Self.leftOutInterval }) ?? false else {
                last = now
                return false
            }
            return true
        }
        guard !isSaid else { return }
        logger.warning(
            "webhook left out: too many wait",
            metadata: ["room": "\(delivery.room)", "event": "\(delivery.kind)"])
    }

    /// Retries until the catalogue answers: the next change must not overtake this one.
    private func asked<Value: Sendable>(
        _ body: (Catalogue) async throws(CatalogueError) -> Value
    ) async -> Value? {
        var isTold = false
        while !Task.isCancelled {
            do throws(CatalogueError) {
                return try await body(catalogue)
            } catch {
                if !isTold {
                    logger.error(
                        "room events cannot be written yet", metadata: ["error": "\(error)"])
                }
                isTold = true
            }
            guard !Task.isShuttingDownGracefully else { return nil }
            try? await Task.sleep(for: Self.retryDelay)
        }
        return nil
    }
}

extension OpenSession.Attendee {
    init(_ peer: Peer) {
        self.init(
            number: peer.joinedOrder, peer: peer.id, user: peer.userID, name: peer.name,
            data: peer.metadata, role: peer.role, joinedAt: peer.joinedAt)
    }
}
