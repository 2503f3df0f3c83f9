import AsyncHTTPClient
import Catalogue
import Clocks
import Logging
import MediaKernel
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Signing
import Webhooks

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Posts what lies in the outbox to its receiver, until that answers 200 or a day is over. A room
/// may have a receiver of its own.
///
/// When what is sent is decided by `WebhookOutbox`; this actor tells it the time and what was
/// answered, and writes down what it says. What it holds is in the catalogue too, so it may be
/// killed at any moment: an event that was in flight is sent once more, under the same id.
actor WebhookSender: Service {
    static let tickInterval: Duration = .milliseconds(100)
    /// A receiver that takes longer has not answered.
    static let timeout: TimeAmount = .seconds(10)
    /// Of an answer, which nobody looks at.
    private static let answerBytesMaximum = 64 * 1024
    private static let bodyTimeout: Duration = .seconds(1)
    /// Pending events that are looked for at a time; the others stay in the catalogue.
    static let readMaximum = 1000
    /// How long it is known what was told.
    static let kept: Duration = .seconds(30 * 86_400)
    /// Between two looks for what was told longer ago.
    static let ticksBetweenSweeps = 600
    /// Events that are forgotten at a time, since whoever has one to put in waits meanwhile.
    static let sweptMaximum = 500
    /// How long a server that is stopped goes on telling what has just happened.
    static let drainTimeout: Duration = .seconds(5)
    /// Between two looks into the catalogue for what others put there.
    private static let ticksBetweenReads = 10

    private let settings: WebhookSettings
    private let catalogue: Catalogue
    private let logger: Logger
    private let clock: @Sendable () -> UnixTime
    private let timeout: TimeAmount
    private let resolve: Resolver
    private let client: HTTPClient
    private var outbox: WebhookOutbox
    /// What reached its end here, and whether its row says so: a look into the catalogue that began
    /// before would find it pending, and while the disk is full all of them do. Bounded by what is
    /// held.
    private var ended: [String: (status: CatalogueDelivery.Status, isWritten: Bool)] = [:]

    /// What a name stands for.
    typealias Resolver = @Sendable (String) async throws -> [TransportAddress]

    /// - Parameters:
    ///   - seed: of the chance in the delays.
    ///   - timeout: for a receiver to answer.
    ///   - resolve: asked about the names of rooms' own receivers.
    ///   - clock: the wall clock.
    init(
        settings: WebhookSettings, catalogue: Catalogue, logger: Logger,
        seed: UInt64 = UInt64.random(in: 0...UInt64.max),
        timeout: TimeAmount = WebhookSender.timeout,
        resolve: @escaping Resolver = NameResolver.addresses,
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.settings = settings
        self.catalogue = catalogue
        self.logger = logger
        self.clock = clock
        self.timeout = timeout
        self.resolve = resolve
        outbox = WebhookOutbox(seed: seed)
        client = Self.client(timeout: timeout)
    }

    /// - Parameter addresses: what names stand for, whatever the resolver says.
    private static func client(
        timeout: TimeAmount, addresses: [String: String] = [:]
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: timeout, read: timeout))
        configuration.dnsOverride = addresses
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func run() async throws {
        await withDiscardingTaskGroup { group in
            var ticks = 0
            var deadline: UnixTime?
            while !Task.isCancelled {
                if ticks % Self.ticksBetweenReads == 0 || deadline != nil { await read() }
                if ticks % Self.ticksBetweenSweeps == 0 { await forget() }
                ticks += 1
                let now = clock()
                for order in outbox.next(at: now) {
                    if case .send(let id) = order {
                        group.addTask { await self.send(id) }
                    } else {
                        await write(order, at: now)
                    }
                }
                if let deadline {
                    guard now < deadline, outbox.isBusy(at: now) else { break }
                } else if Task.isShuttingDownGracefully {
                    // What the last streams left is looked for once more.
                    deadline = now + Self.drainTimeout
                    continue
                }
                try? await Task.sleep(for: Self.tickInterval)
            }
            group.cancelAll()
        }
        try? await client.shutdown()
    }

    private func read() async {
        ended = ended.filter { !$0.value.isWritten }
        do throws(CatalogueError) {
            // What was answered must not be sent again only because that could not be written down.
            for (id, end) in ended { try await self.end(id, end.status, at: clock()) }
            for delivery in try await catalogue.pendingDeliveries(limit: Self.readMaximum)
            where ended[delivery.id] == nil {
                outbox.add(
                    WebhookOutbox.Delivery(
                        id: delivery.id, line: delivery.line, createdAt: delivery.createdAt,
                        attempts: delivery.attempts, dueAt: delivery.dueAt))
            }
        } catch {
            logger.error("the outbox cannot be used", metadata: ["error": "\(error)"])
        }
    }

    /// What was told long ago, or given up.
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
        let now = clock()
        for order in outbox.answered(id, isAccepted: isAccepted, at: now) {
            await write(order, at: now)
        }
    }

    private func post(_ id: String) async -> Bool {
        let delivery: CatalogueDelivery
        let target: WebhookTarget
        do throws(CatalogueError) {
            guard let found = try await catalogue.delivery(id) else { return false }
            delivery = found
            // What is not known to have no receiver of its own is for nobody else.
            target = WebhookTarget(
                settings, own: try await catalogue.room(delivery.room)?.webhook)
        } catch {
            return false
        }
        // Checked when it was given; what was stored otherwise must not end the server.
        guard WebhookAddress.isUsable(target.url) else { return false }
        let (timestamp, signature) = WebhookSignature(secret: Array(settings.secret.utf8))
            .headers(body: delivery.body, sentAt: clock())
        var request = HTTPClientRequest(url: target.url)
        request.method = .POST
        for (name, value) in target.headers { request.headers.add(name: name, value: value) }
        request.headers.add(name: "X-Roomcast-Event", value: id)
        request.headers.add(name: WebhookSignature.timestampHeader, value: timestamp)
        request.headers.add(name: WebhookSignature.signatureHeader, value: signature)
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

    /// A room's own receiver is asked at an address that was looked at: its name may stand for
    /// another one when it is looked up again (DNS rebinding).
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

    /// The address that the host of a URL stands for, under that host's name.
    private func address(in url: String) async throws -> [String: String] {
        guard settings.reach.admits(url: url), let host = URL(string: url)?.host,
            let plain = HTTPURL(url)?.host
        else { throw Unreachable(description: "no receiver of a room may be at this address") }
        guard TransportAddress(plain, port: 0) == nil else { return [:] }
        let found = try await resolve(host)
        guard let address = found.first, found.allSatisfy(settings.reach.admits) else {
            let list = found.map(\.host).joined(separator: ", ")
            throw Unreachable(
                description: "no receiver of a room may be at \(host), which is \(list)")
        }
        return [host: address.host]
    }

    /// So that the connection can be used again, unless that takes long: whoever sends an answer bit
    /// by bit holds up the others.
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
            // Its end is written down later; an attempt that failed is only counted.
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
