import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Streams
import Synchronization
import Testing
import Tokens

@testable import ControlAPI

/// A request that is repeated with its `Idempotency-Key` has the same answer and no second effect.
@Suite struct IdempotencyTests {
    private static let start = "/v2/live-streams/room/demo/start"
    private static let replayed = HTTPField.Name("Idempotent-Replayed")!

    private static func keyed(_ headers: HTTPFields, _ key: String) -> HTTPFields {
        var headers = headers
        headers[HTTPField.Name("Idempotency-Key")!] = key
        return headers
    }

    @Test func aRepeatedStartHasTheSameAnswerAndStartsNothing() async throws {
        let world = try await TestWorld()
        let headers = Self.keyed(try await world.managementHeaders(), "\"8e03978e\"")
        try await world.routes { client in
            let body = ByteBuffer(string: #"{"metadata":"a"}"#)
            let first = try await client.execute(
                uri: Self.start, method: .post, headers: headers, body: body)
            #expect(first.status == .ok && first.headers[Self.replayed] == nil)
            let second = try await client.execute(
                uri: Self.start, method: .post, headers: headers, body: body)
            #expect(second.status == .ok && second.headers[Self.replayed] == "true")
            #expect(second.body == first.body)
            #expect(second.headers[.contentType] == first.headers[.contentType])
        }
        #expect(world.control.state.withLock { $0.requests.count } == 1)
    }

    /// Callers make a new token for each request, and write the key with quotes or without.
    @Test func aNewTokenOfTheSameCallerIsTheSameCaller() async throws {
        let world = try await TestWorld()
        let later = try world.authority.makeManagementToken(
            at: TestWorld.now, lifetime: .seconds(60))
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            for (headers, key) in [
                (headers, "a"), ([.authorization: "Bearer \(later)"], "\"a\""),
            ] {
                let answer = try await client.execute(
                    uri: Self.start, method: .post, headers: Self.keyed(headers, key))
                #expect(answer.status == .ok)
            }
        }
        #expect(world.control.state.withLock { $0.requests.count } == 1)
    }

    @Test func anotherBodyWithTheKeyIsRefused() async throws {
        let world = try await TestWorld()
        let headers = Self.keyed(try await world.managementHeaders(), "a")
        try await world.routes { client in
            _ = try await client.execute(uri: Self.start, method: .post, headers: headers)
            let answer = try await client.execute(
                uri: Self.start, method: .post, headers: headers,
                body: ByteBuffer(string: #"{"metadata":"b"}"#))
            #expect(answer.status == .unprocessableContent)
            #expect(try TestJSON.refusal(answer) == APIError.keyIsSpent().body)
        }
        #expect(world.control.state.withLock { $0.requests.count } == 1)
    }

    @Test func anotherAddressIsAnotherRequest() async throws {
        let world = try await TestWorld()
        let headers = Self.keyed(try await world.managementHeaders(), "a")
        try await world.routes { client in
            for room in ["demo", "demo2"] {
                _ = try await client.execute(
                    uri: "/v2/live-streams/room/\(room)/start", method: .post, headers: headers)
            }
        }
        #expect(world.control.state.withLock { $0.requests.count } == 2)
    }

    /// A refusal has no effect, and may be due to a moment.
    @Test func aRefusalIsNotRemembered() async throws {
        let world = try await TestWorld()
        world.control.state.withLock { $0.failure = .shuttingDown }
        let headers = Self.keyed(try await world.managementHeaders(), "a")
        try await world.routes { client in
            let refused = try await client.execute(
                uri: Self.start, method: .post, headers: headers)
            #expect(refused.status == .serviceUnavailable)
            world.control.state.withLock { $0.failure = nil }
            let taken = try await client.execute(
                uri: Self.start, method: .post, headers: headers)
            #expect(taken.status == .ok && taken.headers[Self.replayed] == nil)
        }
    }

    @Test func whatIsBeingAnsweredIsNotBegunASecondTime() async throws {
        let world = try await TestWorld()
        let headers = Self.keyed(try await world.managementHeaders(), "a")
        let (begun, toldOfBegin) = AsyncStream.makeStream(of: Void.self)
        let (end, toldToEnd) = AsyncStream.makeStream(of: Void.self)
        let router = Router(context: CallerContext.self)
        router.add(middleware: ErrorMiddleware())
        router.add(
            middleware: IdempotencyMiddleware(authority: world.authority) { TestWorld.now })
        router.post("/v2/slow") { _, _ in
            toldOfBegin.yield()
            for await _ in end { break }
            return "done"
        }
        try await Application(router: router).test(.router) { client in
            @Sendable func ask() async throws -> TestResponse {
                try await client.execute(uri: "/v2/slow", method: .post, headers: headers)
            }
            async let first = ask()
            for await _ in begun { break }
            let second = try await ask()
            #expect(second.status == .conflict && second.headers[.retryAfter] == "1")
            toldToEnd.yield()
            #expect(try await first.status == .ok)
            let third = try await ask()
            #expect(third.status == .ok && third.headers[Self.replayed] == "true")
        }
    }

    @Test func whoHasNoTokenGetsNoRememberedAnswer() async throws {
        let world = try await TestWorld()
        let headers = Self.keyed(try await world.managementHeaders(), "a")
        try await world.routes { client in
            _ = try await client.execute(uri: Self.start, method: .post, headers: headers)
            for token in [nil, "Bearer x"] as [String?] {
                var others = headers
                others[.authorization] = token
                let answer = try await client.execute(
                    uri: Self.start, method: .post, headers: others)
                #expect(answer.status == .unauthorized)
            }
        }
    }

    @Test(arguments: ["", "\"\"", "ä", String(repeating: "x", count: 256)])
    func aKeyThatIsNoneIsRefused(key: String) async throws {
        let world = try await TestWorld()
        let headers = Self.keyed(try await world.managementHeaders(), key)
        try await world.routes { client in
            let answer = try await client.execute(
                uri: Self.start, method: .post, headers: headers)
            #expect(answer.status == .badRequest)
            #expect(
                try TestJSON.decode(APIError.Body.self, answer).message
                    == "Idempotency-Key is not valid")
        }
    }

    @Test func aBodyThatIsTooLongIsRefusedAsEver() async throws {
        let world = try await TestWorld()
        let headers = Self.keyed(try await world.managementHeaders(), "a")
        try await world.routes { client in
            for count in [Limits.bodyBytes + 1, Limits.templateBytes + 1] {
                let answer = try await client.execute(
                    uri: Self.start, method: .post, headers: headers,
                    body: ByteBuffer(repeating: UInt8(ascii: " "), count: count))
                #expect(answer.status == .contentTooLarge)
            }
        }
    }
}

@Suite struct RememberedAnswersTests {
    private let now = TestWorld.now

    private func answer(_ text: String = "") -> RememberedAnswers.Answer {
        .init(head: HTTPResponse(status: .ok), body: ByteBuffer(string: text))
    }

    private func word(_ verdict: RememberedAnswers.Verdict) -> String {
        switch verdict {
        case .answer: "answer"
        case .repeatAnswer(let answer): String(buffer: answer.body)
        case .wait: "wait"
        case .refuse: "refuse"
        }
    }

    @Test func whatIsBeingAnsweredWaits() {
        let answers = RememberedAnswers()
        #expect(word(answers.begin([1], body: [1], at: now)) == "answer")
        #expect(word(answers.begin([1], body: [1], at: now)) == "wait")
        #expect(word(answers.begin([1], body: [2], at: now)) == "refuse")
        answers.end([1], with: nil)
        #expect(word(answers.begin([1], body: [2], at: now)) == "answer")
    }

    @Test func anAnswerIsKeptForADay() {
        let answers = RememberedAnswers()
        _ = answers.begin([1], body: [1], at: now)
        answers.end([1], with: answer("a"))
        let last = now + .seconds(86_399)
        #expect(word(answers.begin([1], body: [1], at: last)) == "a")
        #expect(word(answers.begin([1], body: [2], at: now + .seconds(86_400))) == "answer")
    }

    @Test func theOldestMakeRoomByNumber() {
        let answers = RememberedAnswers()
        let count = RememberedAnswers.countMaximum
        for number in 0...count {
            let key = [UInt8(number >> 8), UInt8(number & 0xFF)]
            _ = answers.begin(key, body: [], at: now)
            answers.end(key, with: answer("\(number)"))
        }
        #expect(word(answers.begin([UInt8(count >> 8), 0], body: [], at: now)) == "\(count)")
        #expect(word(answers.begin([0, 1], body: [], at: now)) == "1")
        #expect(word(answers.begin([0, 0], body: [], at: now)) == "answer")
    }

    @Test func theOldestMakeRoomByBytes() {
        let answers = RememberedAnswers()
        let text = String(repeating: "x", count: RememberedAnswers.answerBytesMaximum)
        for number in 0..<20 as Range<UInt8> {
            _ = answers.begin([number], body: [], at: now)
            answers.end([number], with: answer(text))
        }
        #expect(word(answers.begin([19], body: [], at: now)) == text)
        #expect(word(answers.begin([0], body: [], at: now)) == "answer")
        _ = answers.begin([99], body: [], at: now)
        answers.end([99], with: answer(text + "x"))
        #expect(word(answers.begin([99], body: [], at: now)) == "answer")
    }

    /// What is under way is never forgotten; beyond that many, requests are answered without being
    /// remembered.
    @Test func whatIsUnderWayKeepsItsPlace() {
        let answers = RememberedAnswers()
        for number in 0..<RememberedAnswers.countMaximum {
            _ = answers.begin([UInt8(number >> 8), UInt8(number & 0xFF)], body: [], at: now)
        }
        #expect(word(answers.begin([9, 9], body: [], at: now)) == "answer")
        #expect(word(answers.begin([9, 9], body: [], at: now)) == "answer")
        #expect(word(answers.begin([0, 0], body: [], at: now)) == "wait")
    }
}
