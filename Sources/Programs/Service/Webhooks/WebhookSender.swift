import AsyncHTTPClient
import Catalogue
import Clocks
import Datagrams
import Logging
import MediaKernel
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Signing
import Synchronization
import Webhooks

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Posts the events of the outbox to their receiver, until it answers 200 or a day has passed. A
/// room may have its own receiver.
///
/// `WebhookOutbox` decides when to send; this actor tells it the time and the responses, and saves
/// its results. The catalogue has all of its state, so the server may be killed at any moment: an
/// event in flight is then sent again with the same id.
actor WebhookSender: Service {
    /// A receiver that takes longer counts as unresponsive.
    static let timeout: TimeAmount = .seconds(10)
    /// The limit of a response body, which is ignored.
    private static let answerBytesMaximum = 64 * 1024
    private static let bodyTimeout: Duration = .seconds(1)
    /// The most pending events to load at a time; the others stay in the catalogue.
    static let readMaximum = 1000
    /// How long ended deliveries are kept.
    static let kept: Duration = .seconds(30 * 86_400)
    /// The interval of removing old deliveries.
    static let sweepInterval: Duration = .seconds(60)
    /// The most deliveries to remove at a time, since adding an event has to wait meanwhile.
    static let sweptMaximum = 500
    /// How long a stopping server continues to send recent events.
    static let drainTimeout: Duration = .seconds(5)
    /// The shortest interval of reading new events from the catalogue: each event that ends changes
    /// the catalogue, too.
    private static let readInterval: Duration = .milliseconds(100)
    /// After a failed read or write.
    private static let retryInterval: Duration = .seconds(1)

    private let receivers: WebhookReceivers
    private let catalogue: Catalogue
    private let logger: Logger
    private let clock: @Sendable () -> UnixTime
    private let timeout: TimeAmount
    private let resolve: Resolver
    private let client: HTTPClient
    private let alarm = Alarm()
    private var outbox: WebhookOutbox
    /// Whether the catalogue may have events that the outbox has not.
    private let hasNews = Mutex(true)
    /// Ended deliveries, and whether that is saved: a read of the catalogue that began earlier
    /// still finds them pending, as does any read while the disk is full. Bounded by the size of
    /// the outbox.
    private var ended: [String: (status: CatalogueDelivery.Status, isWritten: Bool)] = [:]

    /// Resolves a name to addresses.
    typealias Resolver = @Sendable (String) async throws -> [TransportAddress]

    /// - Parameters:
    ///   - receivers: of events.
    ///   - seed: for the random part of the delays.
    ///   - timeout: for a receiver's response.
    ///   - resolve: resolves the names of rooms' own receivers.
    ///   - clock: the wall clock.
    init(
        receivers: WebhookReceivers, catalogue: Catalogue, logger: Logger,
        seed: UInt64 = UInt64.random(in: 0...UInt64.max),
        timeout: TimeAmount = WebhookSender.timeout,
        resolve: @escaping Resolver = NameResolver.addresses,
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.receivers = receivers
        self.catalogue = catalogue
        self.logger = logger
        self.clock = clock
        self.timeout = timeout
        self.resolve = resolve
        outbox = WebhookOutbox(seed: seed)
        client = Self.client(timeout: timeout)
    }

    /// - Parameter addresses: the addresses of names, overriding the resolver.
    private static func client(
        timeout: TimeAmount, addresses: [String: String] = [:]
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: timeout, read: timeout))
        configuration.dnsOverride = addresses
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func run() async throws {
        let watch = catalogue.watch(.deliveries) {
            self.hasNews.withLock { $0 = true }
            self.alarm.ring()
        }
        await withGracefulShutdownHandler {
            await deliver()
        } onGracefulShutdown: {
            self.alarm.ring()
        }
        withExtendedLifetime(watch) {}
        try? await client.shutdown()
    }

    private func deliver() async {
        await withDiscardingTaskGroup { group in
            var readsAt = MonotonicClock.now
            var sweepsAt = readsAt
            var endsAt: Instant?
            while !Task.isCancelled {
                let start = MonotonicClock.now
                if start >= readsAt, takeNews() {
                    readsAt = start + (await read() ? Self.readInterval : Self.retryInterval)
                }
                if start >= sweepsAt {
                    await forget()
                    sweepsAt = start + Self.sweepInterval
                }
                let time = clock()
                for order in outbox.next(at: time) {
                    if case .send(let id) = order {
                        group.addTask { await self.send(id) }
                    } else {
                        await write(order, at: time)
                    }
                }
                let now = MonotonicClock.now
                if let endsAt {
                    guard now < endsAt, outbox.isBusy(at: time) else { break }
                } else if Task.isShuttingDownGracefully {
                    endsAt = now + Self.drainTimeout
                    // Looks once more for the events of the last streams.
                    readsAt = now
                    hasNews.withLock { $0 = true }
                    continue
                }
                let due = [
                    sweepsAt, hasNews.withLock { $0 } ? readsAt : nil, endsAt,
                    outbox.nextDueAt.map { now + ($0 - time) },
                ]
                await alarm.wait(atMost: (due.compactMap { $0 }.min() ?? now) - now)
            }
            group.cancelAll()
        }
    }

    private func takeNews() -> Bool {
        hasNews.withLock { hasNews in
            defer { hasNews = false }
            return hasNews
        }
    }

    /// - Returns: whether the catalogue could be read.
    private func read() async -> Bool {
        ended = ended.filter { !$0.value.isWritten }
        do throws(CatalogueError) {
            // An accepted event must not be sent again just because its end could not be saved.
            for (id, end) in ended { try await self.end(id, end.status, at: clock()) }
            for delivery in try await catalogue.pendingDeliveries(limit: Self.readMaximum)
            where ended[delivery.id] == nil {
                outbox.add(
                    WebhookOutbox.Delivery(
                        id: delivery.id, line: delivery.line, receiver: delivery.receiver,
                        createdAt: delivery.createdAt, attempts: delivery.attempts,
                        dueAt: delivery.dueAt))
            }
            return true
        } catch {
            hasNews.withLock { $0 = true }
            logger.error("the outbox cannot be used", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Removes deliveries that ended long ago.
    private func forget() async {
        do throws(CatalogueError) {
            var count = Self.sweptMaximum
            while count == Self.sweptMaximum {
                count = try await catalogue.removeDeliveries(
                    endedUntil: clock() + (.zero - Self.kept), limit: Self.sweptMaximum)
            }
        } catch {
            logger.error("past webhooks cannot be removed", metadata: ["error": "\(error)"])
        }
    }

    private func send(_ id: String) async {
        let isAccepted = await post(id)
        // An attempt that the end of the server has cut off does not count: the event is pending.
        guard isAccepted || !Task.isCancelled else { return }
        let now = clock()
        for order in outbox.answered(id, isAccepted: isAccepted, at: now) {
            // Written also at the end of the server, or the next one would send it again.
            await Task { await self.write(order, at: now) }.value
        }
        // The next of its stream may be due.
        alarm.ring()
    }

    private func post(_ id: String) async -> Bool {
        let delivery: CatalogueDelivery
        let target: WebhookTarget
        do throws(CatalogueError) {
            // It has given up its place, and the next of its line must not wait for it.
            guard let found = try await catalogue.delivery(id) else { return true }
            guard let receiver = try await self.target(of: found) else { return false }
            (delivery, target) = (found, receiver)
        } catch {
            return false
        }
        // The URL was checked when it was set, but an invalid stored one must not crash the server.
        guard WebhookAddress.isUsable(target.url) else { return false }
        var request = HTTPClientRequest(url: target.url)
        request.method = .POST
        for (name, value) in target.headers { request.headers.add(name: name, value: value) }
        request.headers.add(name: "X-Roomcast-Event", value: id)
        if let secret = target.secret {
            let (timestamp, signature) = WebhookSignature(secret: Array(secret.utf8))
                .headers(body: delivery.body, sentAt: clock())
            request.headers.add(name: WebhookSignature.timestampHeader, value: timestamp)
            request.headers.add(name: WebhookSignature.signatureHeader, value: signature)
        }
        request.body = .bytes(ByteBuffer(bytes: delivery.body))
        do {
            let status = try await exchange(request, isOwn: target.isOwn)
            guard status != .ok else { return true }
            logger.warning(
                "webhook refused", metadata: ["event": "\(id)", "status": "\(status.code)"])
        } catch {
            logger.warning(
                "webhook not delivered", metadata: ["event": "\(id)", "error": "\(error)"])
        }
        return false
    }

    /// - Returns: nil if the settings have its receiver no longer.
    private func target(
        of delivery: CatalogueDelivery
    ) async throws(CatalogueError) -> WebhookTarget? {
        if let name = delivery.receiver { return receivers.named[name].map(WebhookTarget.init) }
        guard let general = receivers.general else { return nil }
        // If the room's own receiver is unknown, the event is not sent to anybody else.
        return WebhookTarget(general, own: try await catalogue.room(delivery.room)?.webhook)
    }

    /// Connects to a room's own receiver at a checked address, since its name may resolve to
    /// another one the next time (DNS rebinding).
    private func exchange(
        _ request: HTTPClientRequest, isOwn: Bool
    ) async throws -> HTTPResponseStatus {
        guard isOwn else { return try await exchange(request, by: client) }
        let pinned = Self.client(timeout: timeout, addresses: try await address(in: request.url))
        do {
            let status = try await exchange(request, by: pinned)
            try? await pinned.shutdown()
            return status
        } catch {
            try? await pinned.shutdown()
            throw error
        }
    }

    private func exchange(
        _ request: HTTPClientRequest, by client: HTTPClient
    ) async throws -> HTTPResponseStatus {
        let answer = try await client.execute(request, timeout: timeout)
        await Self.readOff(answer.body)
        return answer.status
    }

    private struct Unreachable: Error, CustomStringConvertible {
        var description: String
    }

    /// The checked address of a URL's host, keyed by the host's name.
    private func address(in url: String) async throws -> [String: String] {
        guard let reach = receivers.general?.reach, reach.admits(url: url),
            let host = URL(string: url)?.host,
            let plain = HTTPURL(url)?.host
        else { throw Unreachable(description: "no receiver of a room may be at this address") }
        guard TransportAddress(plain, port: 0) == nil else { return [:] }
        let found = try await resolve(host)
        guard let address = found.first, found.allSatisfy(reach.admits) else {
            let list = found.map(\.host).joined(separator: ", ")
            throw Unreachable(
                description: "no receiver of a room may be at \(host), which is \(list)")
        }
        return [host: address.host]
    }

    /// Reads the body so that the connection can be reused, but not for long: a receiver that
    /// answers byte by byte would delay others.
    private static func readOff(_ body: HTTPClientResponse.Body) async {
        let reading = Task { _ = try? await body.collect(upTo: answerBytesMaximum) }
        let patience = Task {
            try await Task.sleep(for: bodyTimeout)
            reading.cancel()
        }
        await reading.value
        patience.cancel()
    }

    private func write(_ order: WebhookOutbox.Order, at now: UnixTime) async {
        do throws(CatalogueError) {
            switch order {
            case .send: break
            case .postpone(let id, let attempts, let dueAt):
                try await catalogue.update(
                    delivery: id, status: .pending, attempts: attempts, dueAt: dueAt)
            case .delivered(let id): try await end(id, .delivered, at: now)
            case .giveUp(let id):
                logger.error("webhook given up", metadata: ["event": "\(id)"])
                try await end(id, .failed, at: now)
            }
        } catch {
            // The end is saved later; a failed attempt is only counted.
            hasNews.withLock { $0 = true }
            logger.error("the outbox cannot be written", metadata: ["error": "\(error)"])
        }
    }

    private func end(
        _ id: String, _ status: CatalogueDelivery.Status, at now: UnixTime
    ) async throws(CatalogueError) {
        ended[id] = (status, false)
        try await catalogue.update(delivery: id, status: status, dueAt: now)
        ended[id] = (status, true)
    }
}
