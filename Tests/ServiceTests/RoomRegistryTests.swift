import Catalogue
import ControlAPI
import Foundation
import Glibc
import Logging
import MediaKernel
import Testing
import Workbench

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct RoomRegistryTests {
    private let scratch: Scratch
    private let catalogue: Catalogue

    init() throws {
        scratch = try Scratch()
        catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
    }

    private func registry(opensOnJoin: Bool = true) -> RoomRegistry {
        RoomRegistry(
            catalogue: catalogue, opensOnJoin: opensOnJoin,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: { UnixTime(seconds: 1_770_000_000) })
    }

    private func refusal(_ registry: RoomRegistry, _ room: RoomID) async -> APIError? {
        do throws(APIError) {
            try await registry.checkOpen(room)
            return nil
        } catch {
            return error
        }
    }

    /// As in the control API.
    private func setEnabled(_ isEnabled: Bool, _ id: RoomID, _ registry: RoomRegistry) async throws
    {
        let update = try await catalogue.updateRoom(id, at: UnixTime(seconds: 1_770_000_001)) {
            $0.isEnabled = isEnabled
            return true
        }
        guard case .updated(let room) = update else {
            Issue.record("\(update)")
            return
        }
        _ = await registry.changed(room, saysEnabled: true)
    }

    @Test func noRoomComesToBeInACatalogueThatIsGone() async throws {
        let registry = registry()
        _ = await registry.opened("hall")
        unlink("\(scratch.path)/catalogue.sqlite")
        #expect(await refusal(registry, "hall") == nil)
        let refusal = await refusal(registry, "other")
        #expect(refusal?.code == 503)
    }

    @Test func aRoomComesToBeWhenItIsJoinedFirst() async throws {
        let registry = registry()
        #expect(await refusal(registry, "hall") == nil)
        #expect(try await catalogue.room("hall") == nil, "to look is not to join")
        let room = await registry.opened("hall")
        #expect(room.name == "hall" && room.isEnabled && room.durationMaximum == nil)
        #expect(try await catalogue.room("hall") == room)
        #expect(await registry.opened("hall") == room)
        // Ids differ in their case, names do not.
        let other = await registry.opened("Hall")
        #expect(other.id == "Hall" && other.name.hasPrefix("Hall."))
    }

    @Test func whereRoomsAreMadeByTheControlAPIOnlyOthersAreRefused() async throws {
        let registry = registry(opensOnJoin: false)
        let error = try #require(await refusal(registry, "hall"))
        #expect(error.code == 40001)
        #expect(error == .unknownRoom("hall"))
        // A recorder is not checked, and creates no room.
        #expect(await registry.opened("hall").name == "hall")
        #expect(try await catalogue.room("hall") == nil)
        let made = CatalogueRoom(
            id: "hall", name: "Town hall", createdAt: UnixTime(seconds: 1_770_000_000))
        _ = try await catalogue.createRoom(made) { _ in true }
        #expect(await refusal(registry, "hall") == nil)
        #expect(await registry.opened("hall") == made)
    }

    @Test func aLockOutlivesTheRoomAndTheServer() async throws {
        let first = registry()
        _ = await first.opened("hall")
        await first.locked("hall")
        for registry in [first, registry()] {
            let error = try #require(await refusal(registry, "hall"))
            #expect(error.code == 403 && error == .roomDisabled("hall"))
            #expect(await !registry.opened("hall").isEnabled)
        }
        try await setEnabled(true, "hall", first)
        #expect(await refusal(first, "hall") == nil)
        #expect(await first.opened("hall").isEnabled)
    }

    @Test func aLockOfARoomThatWasNeverWrittenDownIs() async throws {
        await registry(opensOnJoin: true).locked("hall")
        #expect(try await catalogue.room("hall")?.isEnabled == false)
    }

    @Test func aChangeOfSomethingElseLeavesALockThatIsNotWrittenYet() async throws {
        let registry = registry()
        let room = await registry.opened("hall")
        let (isHeld, disk) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        async let holding = catalogue.updateRoom("hall", at: UnixTime(seconds: 1_770_000_000)) {
            _ in
            isHeld.continuation.finish()
            // A test that has ended early lets nobody hang.
            _ = disk.wait(timeout: .now() + 60)
            return false
        }
        for await _ in isHeld.stream {}
        async let locking: Void = registry.locked("hall")
        try await until { await refusal(registry, "hall") != nil }
        #expect(await !registry.changed(room, saysEnabled: false).isEnabled)
        #expect(await refusal(registry, "hall")?.code == 403)
        async let enabling = catalogue.updateRoom("hall", at: UnixTime(seconds: 1_770_000_001)) {
            $0.isEnabled = true
            return true
        }
        #expect(await registry.changed(room, saysEnabled: true).isEnabled)
        #expect(await refusal(registry, "hall") == nil)
        disk.signal()
        _ = try await holding
        await locking
        _ = try await enabling
        #expect(await refusal(registry, "hall") == nil)
    }

    @Test func aDisabledRoomIsRefusedAsLongAsItIs() async throws {
        let registry = registry()
        _ = await registry.opened("hall")
        try await setEnabled(false, "hall", registry)
        #expect(await refusal(registry, "hall")?.code == 403)
        try await setEnabled(true, "hall", registry)
        #expect(await refusal(registry, "hall") == nil)
    }
}

@Suite struct SessionTimerTests {
    @Test func aSessionIsOverWhenItHasLastedAsLongAsItMay() {
        var timer = SessionTimer()
        let looks: [(SessionID?, maximum: Duration?, seconds: Int, isOver: Bool)] = [
            ("s1", .seconds(120), 1000, false), ("s1", nil, 1500, false),
            ("s1", .seconds(120), 1500, true), ("s2", .seconds(120), 1501, false),
            ("s2", .seconds(120), 1620, false), ("s2", .seconds(120), 1621, true),
            (nil, .seconds(120), 1900, false), ("s2", .seconds(120), 1901, false),
        ]
        for (session, maximum, seconds, isOver) in looks {
            let now = Instant.zero + .seconds(seconds)
            let result = timer.isOver(session, maximum: maximum, at: now)
            #expect(result == isOver, "at \(seconds) s")
        }
    }
}
