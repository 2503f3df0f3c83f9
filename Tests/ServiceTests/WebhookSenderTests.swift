import Catalogue
import Datagrams
import Logging
import MediaKernel
import NIOCore
import Testing
import Webhooks
import Workbench

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct WebhookSenderTests {
    @Test func aRoomsOwnReceiverStandsInForThatOfAll() {
        let settings = WebhookSettings(url: "http://all", secret: "s", accountID: "a")
        let standard = ["content-type": "application/json", "user-agent": "roomcast"]
        let all = WebhookTarget(settings, own: nil)
        #expect(all.url == "http://all" && all.headers == standard)
        let own = WebhookTarget(
            settings,
            own: RoomWebhook(
                url: "http://own", headers: ["X-Key": "k", "User-Agent": "somebody"]))
        #expect(own.url == "http://own")
        #expect(
            own.headers == [
                "content-type": "application/json", "user-agent": "somebody", "x-key": "k",
            ])
    }

    @Test func aNamedReceiverHasItsOwnHeadersAndNoSignature() {
        let target = WebhookTarget(
            WebhookReceivers.Named(url: "http://named", headers: ["X-Key": "k"]))
        #expect(target.url == "http://named" && target.secret == nil && !target.isOwn)
        #expect(
            target.headers == [
                "content-type": "application/json", "user-agent": "roomcast", "x-key": "k",
            ])
    }

    @Test func whatWasToldAMonthAgoIsForgotten() async throws {
        let scratch = try Scratch()
        let catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
        let now = UnixTime(seconds: 1_770_000_000)
        let month = WebhookSender.kept
        // More than are forgotten at a time.
        for number in 0..<WebhookSender.sweptMaximum + 2 {
            var delivery = CatalogueDelivery(
                id: "e\(number)", line: "line", room: "demo", kind: "peer.join.success", body: [],
                createdAt: now)
            delivery.status = .delivered
            delivery.dueAt = now + (.zero - month) + (number == 0 ? .nanoseconds(1) : .zero)
            try await catalogue.save(delivery)
        }
        let sender = WebhookSender(
            receivers: WebhookReceivers(
                general: WebhookSettings(
                    url: "http://127.0.0.1:1", secret: "s", accountID: "a")),
            catalogue: catalogue,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { now })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sender.run() }
            try await until {
                try await catalogue.deliveries(DeliveryQuery()).records.map(\.id) == ["e0"]
            }
            group.cancelAll()
        }
    }

    // MARK: Over a network

    private static let now = UnixTime(seconds: 1_770_000_000)

    /// Has one event of room `demo` reported until `isDone`, and returns its state when the sender has
    /// ended.
    private func tell(
        _ url: String, own: String? = nil, reach: WebhookReach = WebhookReach(),
        timeout: TimeAmount = .seconds(10),
        resolve: @escaping WebhookSender.Resolver = { _ in [] },
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        until isDone: @escaping @Sendable (CatalogueDelivery) -> Bool
    ) async throws -> CatalogueDelivery {
        let scratch = try Scratch()
        let catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
        if let own {
            var room = CatalogueRoom(id: "demo", name: "demo", createdAt: Self.now)
            room.webhook = RoomWebhook(url: own, headers: [:])
            _ = try await catalogue.createRoom(room) { _ in true }
        }
        try await catalogue.save(
            CatalogueDelivery(
                id: "e1", line: "line", room: "demo", kind: "peer.join.success",
                body: Array("{}".utf8), createdAt: Self.now))
        let sender = WebhookSender(
            receivers: WebhookReceivers(
                general: WebhookSettings(url: url, secret: "s", accountID: "a", reach: reach)),
            catalogue: catalogue,
            logger: logger, seed: 1,
            timeout: timeout, resolve: resolve, clock: { Self.now })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sender.run() }
            defer { group.cancelAll() }
            try await until { try await catalogue.delivery("e1").map(isDone) ?? false }
        }
        return try #require(try await catalogue.delivery("e1"))
    }

    @Test func aReceiverThatSendsOnHasRefused() async throws {
        try await ScriptedServer.run(ScriptedServer.accepting) { other in
            try await ScriptedServer.run(ScriptedServer.redirecting(to: other.port)) { receiver in
                let delivery = try await tell("http://127.0.0.1:\(receiver.port)/hook") {
                    $0.status != .pending || $0.attempts > 0
                }
                #expect(delivery.status == .pending && delivery.attempts == 1)
                #expect(receiver.requests.count == 1 && other.requests.isEmpty)
            }
        }
    }

    /// An event that has given up its place is in no row, but still in the outbox.
    @Test func anEventThatIsGoneHoldsUpNobody() async throws {
        try await ScriptedServer.run(ScriptedServer.accepting) { receiver in
            let scratch = try Scratch()
            let catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
            var room = CatalogueRoom(id: "demo", name: "demo", createdAt: Self.now)
            room.webhook = RoomWebhook(
                url: "http://hooks.invalid:\(receiver.port)/x", headers: [:])
            _ = try await catalogue.createRoom(room) { _ in true }
            for id in ["first", "gone", "last"] {
                try await catalogue.save(
                    CatalogueDelivery(
                        id: id, line: "line", room: "demo", kind: "peer.join.success",
                        keeping: id == "gone" ? .minor : .history, body: Array("{}".utf8),
                        createdAt: Self.now))
            }
            let sender = WebhookSender(
                receivers: WebhookReceivers(
                    general: WebhookSettings(
                        url: "http://127.0.0.1:1", secret: "s", accountID: "a",
                        reach: WebhookReach(includesPrivate: true))),
                catalogue: catalogue,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, seed: 1,
                resolve: { _ in
                    try await catalogue.update(delivery: "gone", status: .failed, dueAt: Self.now)
                    return [TransportAddress(ipv4: 127, 0, 0, 1, port: 0)]
                }, clock: { Self.now })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await sender.run() }
                try await until { try await catalogue.delivery("last")?.status == .delivered }
                group.cancelAll()
            }
            #expect(receiver.requests.count == 2)
        }
    }

    @Test func aReceiverThatDoesNotAnswerIsTriedAgainLater() async throws {
        try await ScriptedServer.run(ScriptedServer.silent) { receiver in
            let delivery = try await tell(
                "http://127.0.0.1:\(receiver.port)/hook", timeout: .milliseconds(200)
            ) { $0.attempts > 0 }
            #expect(delivery.status == .pending)
            #expect(receiver.requests.count == 1)
        }
    }

    /// What the end of the server cuts off is sent by the next one, and is no fault.
    @Test func anAttemptThatIsCutOffDoesNotCount() async throws {
        try await ScriptedServer.run(ScriptedServer.silent) { receiver in
            let errors = LoggedErrors()
            let delivery = try await tell(
                "http://127.0.0.1:\(receiver.port)/hook", logger: errors.logger
            ) { _ in !receiver.requests.isEmpty }
            #expect(delivery.status == .pending && delivery.attempts == 0)
            #expect(errors.count == 0)
        }
    }

    @Test func nobodyWaitsForTheEndOfALongAnswer() async throws {
        try await ScriptedServer.run(ScriptedServer.endless) { receiver in
            let delivery = try await tell("http://127.0.0.1:\(receiver.port)/hook") {
                $0.status == .delivered
            }
            #expect(delivery.attempts == 0)
        }
    }

    /// A room's receiver is contacted at the checked address, under its own name.
    @Test func aRoomsReceiverIsAskedWhereItWasFound() async throws {
        try await ScriptedServer.run(ScriptedServer.accepting) { receiver in
            let delivery = try await tell(
                "http://127.0.0.1:1", own: "http://hooks.invalid:\(receiver.port)/x",
                reach: WebhookReach(includesPrivate: true),
                resolve: { _ in [TransportAddress(ipv4: 127, 0, 0, 1, port: 0)] }
            ) { $0.status == .delivered }
            #expect(delivery.status == .delivered)
            let head = receiver.requests.first?.lowercased() ?? ""
            #expect(head.contains("host: hooks.invalid:\(receiver.port)"))
        }
    }

    @Test(arguments: [
        ("http://hooks.invalid", false), ("http://127.0.0.1", false), ("http://localhost", false),
        ("http://169.254.169.254", true),
    ])
    func nothingIsSentWhereNoReceiverMayBe(url: String, isAllowed: Bool) async throws {
        try await ScriptedServer.run(ScriptedServer.accepting) { receiver in
            let delivery = try await tell(
                "http://127.0.0.1:\(receiver.port)", own: "\(url):\(receiver.port)/x",
                reach: WebhookReach(includesPrivate: isAllowed),
                // One of several suffices for a refusal.
                resolve: { _ in
                    [
                        TransportAddress(ipv4: 203, 0, 113, 9, port: 0),
                        TransportAddress(ipv4: 127, 0, 0, 1, port: 0),
                    ]
                }
            ) { $0.status != .pending || $0.attempts > 0 }
            #expect(delivery.status == .pending)
            #expect(receiver.requests.isEmpty)
        }
    }

    @Test func theMachinesResolverIsAsked() async throws {
        let found = try await NameResolver.addresses(of: "localhost")
        #expect(!found.isEmpty && found.allSatisfy(\.isLoopback))
        #expect(try await NameResolver.addresses(of: "127.0.0.1").map(\.host) == ["127.0.0.1"])
    }
}
