import Catalogue
import Logging
import MediaKernel
import Testing
import Workbench

@testable import Service

@Suite(.timeLimit(.minutes(1))) struct WebhookSenderTests {
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
            settings: WebhookSettings(url: "http://127.0.0.1:1", secret: "s", accountID: "a"),
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
}
