import ControlAPI
import Synchronization
import Testing

@testable import Service

/// How a Jibri's part ends, by a clock that the test holds.
@Suite(.timeLimit(.minutes(1))) struct JibriDepartureTests {
    /// Notes how long is waited, and does not wait.
    private final class Pauses: Sendable {
        private let all = Mutex<[Duration]>([])
        private let notes = Mutex<[String]>([])

        var taken: [Duration] { all.withLock { $0 } }
        var noted: [String] { notes.withLock { $0 } }
        func take(_ pause: Duration) { all.withLock { $0.append(pause) } }
        func note(_ text: String) { notes.withLock { $0.append(text) } }
    }

    private final class Outcome: Sendable {
        private let value = Mutex<Bool?>(nil)

        var isDone: Bool? { value.withLock { $0 } }
        func set(_ isDone: Bool) { value.withLock { $0 = isDone } }
    }

    private let exit = JibriExit()
    private let pauses = Pauses()

    private var departure: JibriDeparture {
        JibriDeparture(exit: exit) { [pauses] in pauses.take($0) }
    }

    /// What nothing ends.
    private static func hang() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    /// Runs what nothing ends beside the test, which goes on if it waits for ever.
    private func given() async throws -> Bool? {
        let (departure, pauses) = (departure, pauses)
        let result = Outcome()
        Task {
            result.set(
                try await departure.run(
                    { await Self.hang() }, giveUp: { pauses.note("given up") }))
        }
        try await until(within: .seconds(20)) { result.isDone != nil }
        return result.isDone
    }

    @Test func whatCannotBeFinishedIsNotWaitedForWithoutEnd() async throws {
        exit.hurry()
        #expect(try await given() == false)
        #expect(pauses.noted == ["given up"])
        #expect(pauses.taken == [.seconds(60), .seconds(1), .seconds(12)])
    }

    @Test func anOrderToShutDownIsSuchARequest() async throws {
        exit.take(.now)
        #expect(try await given() == false)
        #expect(exit.status == 255 && pauses.noted == ["given up"])
    }

    @Test func whatEndsIsNotGivenUp() async throws {
        let pauses = pauses
        #expect(try await departure.run({}, giveUp: { pauses.note("given up") }))
        #expect(pauses.noted.isEmpty)
    }

    @Test func itsFaultIsThatOfTheProgram() async throws {
        await #expect(throws: JibriServiceError(description: "x")) {
            try await departure.run(
                { throw JibriServiceError(description: "x") }, giveUp: {})
        }
    }

    /// As when another part of the server fails.
    @Test func whoIsCancelledDoesNotWaitWithoutEnd() async throws {
        let departure = departure
        let result = Outcome()
        let run = Task {
            result.set(try await departure.run({ await Self.hang() }, giveUp: {}))
        }
        run.cancel()
        try await until(within: .seconds(20)) { result.isDone != nil }
        #expect(result.isDone == false && pauses.taken.contains(.seconds(12)))
    }

    /// Without a request it may take hours.
    @Test func untilARequestNothingIsGivenUp() async throws {
        let (pauses, exit, departure) = (pauses, exit, departure)
        let (goes, go) = AsyncStream.makeStream(of: Void.self)
        exit.take(.whenIdle)
        let run = Task {
            try await departure.run({ for await _ in goes {} }, giveUp: { pauses.note("given up") })
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(pauses.taken.isEmpty)
        go.finish()
        #expect(try await run.value)
        #expect(pauses.noted.isEmpty)
    }
}
