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

    private let exit = JibriExit()
    private let pauses = Pauses()

    private var departure: JibriDeparture {
        JibriDeparture(exit: exit) { [pauses] in pauses.take($0) }
    }

    /// What nothing ends.
    private static func hang() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    @Test func whatCannotBeFinishedIsNotWaitedForWithoutEnd() async throws {
        let (pauses, exit) = (pauses, exit)
        exit.hurry()
        let isDone = try await departure.run(
            { await Self.hang() }, giveUp: { pauses.note("given up") })
        #expect(!isDone && pauses.noted == ["given up"])
        #expect(pauses.taken == [.seconds(60), .seconds(1), .seconds(12)])
    }

    @Test func anOrderToShutDownIsSuchARequest() async throws {
        let (pauses, exit) = (pauses, exit)
        exit.take(.now)
        #expect(try await !departure.run({ await Self.hang() }, giveUp: { pauses.note("x") }))
        #expect(exit.status == 255 && pauses.noted == ["x"])
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
