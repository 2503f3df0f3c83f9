import ClientConnections
import Clocks
import Jibri
import Logging
import MediaKernel
import NIOCore
import Synchronization
import XMPP
import XMPPClient

/// One slot's connection to one server, and its place in the brewery there.
final class SlotConnection: Sendable {
    /// For how long Jitsi's Prosody keeps the place of a lost connection. Then Jicofo sees it gone,
    /// and gives the session to another recorder.
    static let absenceMaximum = Duration.seconds(60)

    private enum Word {
        case message(BreweryMessage)
        /// The stream goes on after a loss.
        case resumed
    }

    private let place: BreweryServer
    private let slot: Int
    private let server: Int
    private let client: XMPPClient
    private let outbox: AsyncStream<Word>
    private let queue: AsyncStream<Word>.Continuation
    private let logger: Logger
    private let state = Mutex(BreweryStay())
    private let entry = Alarm()
    private let departure = Alarm()

    init(
        _ place: BreweryServer, slot: Int, server: Int, tls: TLSClient, on loop: any EventLoop,
        logger: Logger
    ) {
        self.place = place
        self.slot = slot
        self.server = server
        var logger = logger
        logger[metadataKey: "slot"] = "\(slot)"
        logger[metadataKey: "server"] = "\(place.host)"
        self.logger = logger
        client = XMPPClient(
            Self.settings(place.environment),
            at: .tcp(host: place.host.name, port: Int(place.host.port)), tls: tls, on: loop)
        // Bounded as the slot's orders are.
        (outbox, queue) = AsyncStream.makeStream()
    }

    private static func settings(_ environment: JibriEnvironment) -> ClientSettings {
        let account = environment.control
        var settings = ClientSettings(
            domain: account.domain,
            credentials: .account(user: account.user, password: account.password),
            capabilities: Capabilities(
                node: "https://jitsi.org/jibri",
                identity: .init(category: "client", type: "bot", name: "Roomcast"),
                features: [JibriRequest.namespace]))
        settings.answered = [JibriRequest.namespace]
        settings.plaintext = environment.security == .required ? .refused : .accepted
        return settings
    }

    func post(_ message: BreweryMessage) { queue.yield(.message(message)) }

    func leave() {
        state.withLock { $0.isLeaving = true }
        queue.finish()
        departure.ring()
    }

    // MARK: Life

    /// Runs until it has left.
    func run(_ desk: JibriDesk) async {
        await withDiscardingTaskGroup { group in
            group.addTask { for await event in self.client.events { await self.take(event, desk) } }
            group.addTask { await self.stayIn(desk) }
            group.addTask { await self.deliver(desk) }
            await connect(desk)
            group.cancelAll()
        }
    }

    private func connect(_ desk: JibriDesk) async {
        var backoff = Backoff()
        var random = SystemRandomNumberGenerator()
        while true {
            let end = await client.run()
            if state.withLock({ $0.isLeaving }) || Task.isCancelled { return }
            let absence = state.withLock { $0.disconnected() }
            if absence != nil { backoff.reset() }
            // An operator may repair whatever it is, an account on the server included.
            let pause = backoff.next(using: &random)
            logger.log(
                level: end.mayPass ? .warning : .error, "jibri: no connection to the brewery",
                metadata: ["reason": "\(end)", "again": "\(pause.milliseconds) ms"])
            if let absence { Task { await self.missed(absence, desk) } }
            await departure.wait(atMost: pause)
            if state.withLock({ $0.isLeaving }) || Task.isCancelled { return }
        }
    }

    /// Gives the session up if the connection is away for too long.
    private func missed(_ absence: Int, _ desk: JibriDesk) async {
        try? await Task.sleep(for: Self.absenceMaximum)
        guard state.withLock({ $0.missed(absence) }) else { return }
        await desk.take(.lost(server: server), slot: slot)
    }

    /// Sends what the slot says, in order. What a lost connection does not take waits for the next
    /// one, if the stream is resumed by it.
    private func deliver(_ desk: JibriDesk) async {
        for await word in outbox {
            if case .message(let message) = word { state.withLock { $0.add(message) } }
            await sendWaiting()
            if case .resumed = word {
                await send(.show(await desk.status(ofSlot: slot)))
            }
        }
        client.leave()
    }

    private func sendWaiting() async {
        while let message = state.withLock({ $0.next() }) {
            // The next connection sends it, and all that comes after it.
            guard await send(message) else { return }
        }
    }

    /// - Returns: false if there is no connection.
    @discardableResult
    private func send(_ message: BreweryMessage) async -> Bool {
        let connection = state.withLock { $0.connections }
        do throws(RequestFailure) {
            switch message {
            case .stanza(let stanza): try await client.send(stanza)
            case .show(let status): try await client.show([status.element], in: place.room)
            case .tell(let status, let asker): tell(status, asker, connection)
            }
            return true
        } catch {
            notSent(message, connection, error)
            // A presence also needs the room, whose entry shows it.
            if case .show = message { return true }
            return error != .offline
        }
    }

    /// The next message does not wait for Jicofo's answer.
    private func tell(_ status: JibriStatus, _ asker: JID, _ connection: Int) {
        let question = client.question(.set, status.element, to: asker)
        Task {
            do throws(RequestFailure) {
                _ = try await question.answer()
            } catch {
                notSent(.tell(status, to: asker), connection, error)
            }
        }
    }

    private func notSent(_ message: BreweryMessage, _ connection: Int, _ error: RequestFailure) {
        logger.log(
            level: error == .offline ? .notice : .warning, "jibri: not taken by the brewery",
            metadata: ["reason": "\(error)"])
        guard error == .offline else { return }
        if state.withLock({ $0.refused(message, by: connection) }) { queue.yield(.resumed) }
    }

    // MARK: The brewery

    private func take(_ event: ClientEvent, _ desk: JibriDesk) async {
        switch event {
        case .online(_, let isResumed):
            switch state.withLock({ $0.online(isResumed: isResumed) }) {
            case .enter: entry.ring()
            case .enterAnew: await leaveRoom()
            case .goOn: queue.yield(.resumed)
            }
        case .request(let request): await desk.take(.asked(request, server: server), slot: slot)
        case .room(place.room, .entered(let nick)):
            state.withLock { $0.entered() }
            logger.info(
                "jibri: waits in the brewery",
                metadata: ["room": "\(place.room)", "nick": "\(nick)"])
            await desk.take(.joined(server: server), slot: slot)
        case .room(place.room, .ended(let ending)):
            state.withLock { $0.ended() }
            if !state.withLock({ $0.isLeaving }) {
                logger.warning(
                    "jibri: not in the brewery",
                    metadata: ["room": "\(place.room)", "reason": "\(ending)"])
                // Offline, the next connection enters again.
                if ending != .offline { entry.ring() }
            }
            await desk.take(.lost(server: server), slot: slot)
        case .room, .stanza: break
        }
    }

    /// The end of the stay rings for the next entry. If the connection is lost again, the next one
    /// leaves.
    private func leaveRoom() async {
        logger.notice("jibri: was away for too long, and enters the brewery anew")
        try? await client.leave(place.room)
    }

    /// Enters the brewery whenever it is rung for, at growing intervals where it is refused.
    private func stayIn(_ desk: JibriDesk) async {
        var backoff = Backoff()
        var random = SystemRandomNumberGenerator()
        var triedAt: Instant?
        while !Task.isCancelled {
            await entry.wait(atMost: .seconds(3600))
            guard state.withLock({ $0.isOnline && !$0.isInside && !$0.isLeaving }) else { continue }
            if let last = triedAt {
                if MonotonicClock.now - last > Backoff.longest {
                    backoff.reset()
                } else {
                    // The nick may be a lost connection's for a while.
                    try? await Task.sleep(for: backoff.next(using: &random))
                }
            }
            triedAt = MonotonicClock.now
            let status = await desk.status(ofSlot: slot)
            do throws(RequestFailure) {
                try await client.enter(
                    place.room, nick: place.environment.brewery.nick(ofSlot: slot),
                    showing: [status.element])
            } catch {
                logger.warning(
                    "jibri: the brewery cannot be entered", metadata: ["reason": "\(error)"])
            }
        }
    }
}
