import HTTPTypes
import HummingbirdTesting
import MediaKernel
import Streams
import Synchronization
import Testing
import Workbench

@testable import ControlAPI

@Suite(.timeLimit(.minutes(5))) struct SnapshotTests {
    @Test func whatAllAskForIsFoundOutOnceASecond() async throws {
        let time = Mutex(Instant.zero)
        let count = Mutex(0)
        let snapshot = Snapshot {
            time.withLock { $0 }
        } find: {
            count.withLock { count in
                count += 1
                return count
            }
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await snapshot.value() } }
            for try await value in group { #expect(value == 1) }
        }
        time.withLock { $0 += .milliseconds(999) }
        #expect(try await snapshot.value() == 1)
        time.withLock { $0 += .milliseconds(1) }
        #expect(try await snapshot.value() == 2)
    }

    /// Otherwise more and more requests would wait for slow answers.
    @Test func whatTakesLongerIsFoundOutOnceAtATime() async throws {
        let time = Mutex(Instant.zero)
        let looks = Mutex(0)
        let count = Mutex(0)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let snapshot = Snapshot {
            looks.withLock { $0 += 1 }
            return time.withLock { $0 }
        } find: {
            let number = count.withLock { count in
                count += 1
                return count
            }
            beginning.yield()
            for await _ in gate { break }
            return number
        }
        async let first = snapshot.value()
        for await _ in begun { break }
        time.withLock { $0 += .seconds(10) }
        async let second = snapshot.value()
        // A caller that has read the clock waits for the answer before it can exist.
        #expect(await comesAbout { looks.withLock { $0 } == 2 })
        opening.yield()
        #expect(try await first == 1)
        #expect(try await second == 1)
        #expect(count.withLock { $0 } == 1)
    }

    @Test func aFailureIsNotForEver() async throws {
        struct Failure: Error {}
        let time = Mutex(Instant.zero)
        let fails = Mutex(true)
        let snapshot = Snapshot {
            time.withLock { $0 }
        } find: {
            if fails.withLock({ $0 }) { throw Failure() }
            return 1
        }
        await #expect(throws: Failure.self) { try await snapshot.value() }
        fails.withLock { $0 = false }
        time.withLock { $0 += .seconds(1) }
        #expect(try await snapshot.value() == 1)
    }

    @Test func theListOfRoomsIsASnapshot() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let begin = ContinuousClock.now
            let before = try await client.execute(uri: "/api/rooms", method: .get)
            _ = try await world.control.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let after = try await client.execute(uri: "/api/rooms", method: .get)
            // The result is meaningless if the machine was suspended meanwhile.
            guard ContinuousClock.now - begin < .seconds(1) else { return }
            #expect(before.body == after.body)
        }
    }
}
