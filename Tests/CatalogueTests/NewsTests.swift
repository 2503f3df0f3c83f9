import MediaKernel
import Synchronization
import Testing

@testable import Catalogue

@Suite struct NewsTests {
    private final class Counter: Sendable {
        let count = Mutex(0)
        func add() { count.withLock { $0 += 1 } }
        var value: Int { count.withLock { $0 } }
    }

    private func delivery(_ id: String) -> CatalogueDelivery {
        CatalogueDelivery(
            id: id, line: "s1", room: "r", kind: "k", body: [1], createdAt: UnixTime(seconds: 1))
    }

    private func asset(_ id: String) -> CatalogueAsset {
        CatalogueAsset(
            id: id, stream: "s1", room: "r", kind: .chat, path: "p", byteCount: 1,
            createdAt: UnixTime(seconds: 1))
    }

    @Test func eachChangeOfTheSubjectIsNewsAndNoOther() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let (deliveries, assets) = (Counter(), Counter())
        let watches = [
            catalogue.watch(.deliveries) { deliveries.add() },
            catalogue.watch(.assets) { assets.add() },
        ]
        try await catalogue.save(delivery("d1"))
        #expect(deliveries.value == 1 && assets.value == 0)
        try await catalogue.save([asset("a1"), asset("a2")])
        #expect(deliveries.value == 1 && assets.value == 1)
        try await catalogue.update(
            delivery: "d1", status: .delivered, dueAt: UnixTime(seconds: 2))
        #expect(deliveries.value == 2)
        // A read is none.
        _ = try await catalogue.pendingDeliveries(limit: 10)
        #expect(deliveries.value == 2 && assets.value == 1)
        withExtendedLifetime(watches) {}
    }

    @Test func aReleasedWatchIsSilent() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let counter = Counter()
        do {
            let watch = catalogue.watch(.deliveries) { counter.add() }
            try await catalogue.save(delivery("d1"))
            withExtendedLifetime(watch) {}
        }
        try await catalogue.save(delivery("d2"))
        #expect(counter.value == 1)
    }
}
