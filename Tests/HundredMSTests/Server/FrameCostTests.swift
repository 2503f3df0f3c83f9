import HundredMSTerms
import MediaKernel
import Rooms
import Testing
import Workbench

@testable import HundredMS

/// The cost of a frame is bounded: its length, its method's permission and its peer's rate are
/// checked before its parameters are read.
@Suite(.timeLimit(.minutes(5))) struct FrameCostTests {
    let fixture = SignallingFixture()

    @Test func nestedDeeperThanTheLimitIsRefusedBeforeItIsRead() async throws {
        let client = try await fixture.join("a")
        func broadcast(depth: Int, count: Int = 1) -> String {
            let item =
                String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let items = Array(repeating: item, count: count).joined(separator: ",")
            return #"{"method":"broadcast","id":"1","params":{"info":{"message":[\#(items)]}}}"#
        }
        // The frame, its parameters, `info` and the list around the items are four of sixteen.
        await client.send(broadcast(depth: 12))
        #expect(try await client.next()?.error == nil)
        for count in [1, 500, 9000] {
            await client.send(broadcast(depth: 50, count: count))
            #expect(
                try await client.next()?.error == refusal(.malformed(.json(.tooDeep(maximum: 16)))))
        }
    }

    @Test func moreValuesThanTheLimitAreRefused() async throws {
        let client = try await fixture.join("a")
        let items = Array(repeating: "0", count: 40_000).joined(separator: ",")
        await client.send(#"{"method":"answer","id":"1","params":[\#(items)]}"#)
        #expect(
            try await client.next()?.error
                == refusal(.malformed(.json(.tooManyNodes(maximum: 32768)))))
    }

    @Test(arguments: [
        ("ping", 65_536), ("broadcast", 65_536), ("set-metadata", 65_536), ("get-peer", 65_536),
        ("analytics", 262_144), ("poll-questions-set", 262_144),
    ])
    func eachMethodHasItsLength(method: String, longest: Int) async throws {
        let client = try await fixture.join("a")
        let start = #"{"method":"\#(method)","id":"1","params":{"x":""#
        let filling = String(repeating: "x", count: longest - start.utf8.count - 3)
        let error = refusal(.frameTooLong(method: method, maximum: longest))
        await client.send(start + filling + #""}}"#)
        #expect(try await client.next()?.error != error)
        await client.send(start + filling + #"x"}}"#)
        #expect(try await client.next()?.error == error)
    }

    /// Errors in the parameters are not even noticed.
    @Test(arguments: [
        "broadcast", "set-metadata", "end-room", "peer-leave-request", "role-change-request",
        "hls-start", "hls-stop", "hls-timed-metadata", "poll-info-set", "poll-questions-set",
        "poll-start", "poll-stop",
    ])
    func whoMayNotIsRefusedUnread(method: String) async throws {
        let client = try await fixture.join("a", role: HundredMSTerms.recorderRole)
        let reply = try await client.call(method, "7")
        #expect(reply.code == 403, "\(reply)")
    }

    @Test func whoAsksTooOftenIsRefusedUnread() async throws {
        var limits = RoomLimits()
        (limits.fanOutPerSecond, limits.fanOutBurst) = (1, 2)
        let fixture = SignallingFixture(roomLimits: limits)
        let client = try await fixture.join("a")
        // Checking whether one more is allowed does not consume any.
        for _ in 0..<5 {
            #expect(
                try await client.call("broadcast", "7").error
                    == refusal(.badParameter("params", .mustBe(.object))))
        }
        var taken = 0
        while taken < 5,
            try await client.call("broadcast", #"{"info":{"message":"x"}}"#).error == nil
        { taken += 1 }
        #expect((1...2).contains(taken))
        for method in ["broadcast", "set-metadata", "peer-update", "offer", "role-change"] {
            let reply = try await client.call(method, "7")
            #expect(reply.code == 429, "\(reply)")
        }
    }

    /// The worst frames that fit: the deepest, the largest and the longest allowed, and those that
    /// the limits cut off.
    @Test(arguments: [
        #"{"method":"broadcast","params":{"info":{"message":[#]}}}"#,
        #"{"method":"offer","params":{"desc":{"type":"offer","sdp":""},"tracks":{"t":#}}}"#,
        #"{"method":"poll-questions-set","params":{"poll_id":"p","questions":[#]}}"#,
        #"{"method":"track-update","params":{"tracks":{"t":{"mute":true},"u":[#]}}}"#,
    ])
    func costGrowsWithTheLength(frame: String) throws {
        let pieces = [
            "[[[[[[[[[[1]]]]]]]]]]", #"{"question":{"text":"\u0041"}}"#, #""\\\\\\\\""#, "{}",
        ]
        for piece in pieces {
            let growth = Growth.of(300) { count in
                frame.replacing(
                    "#", with: Array(repeating: piece, count: count).joined(separator: ","))
            } body: { text in
                guard let frame = try? IncomingFrame(text, limits: .own) else { return }
                _ = try? frame.parameters(BroadcastParameters.self)
                _ = try? frame.parameters(OfferParameters.self)
                _ = try? frame.parameters(PollQuestionsSetParameters.self)
                _ = try? frame.parameters(TrackUpdateParameters.self)
            }
            #expect(growth < Growth.tolerated, "\(frame) \(piece)")
        }
    }

    @Test func ofAPolicyGrowsWithItsLength() throws {
        let growth = try Growth.of(20) { count in
            let roles = (0..<count).map { number in
                #""r\#(number)":{"subscribeParams":{"subscribeToRoles":["r0","*"]}}"#
            }
            return #"{"id":"t","roles":{\#(roles.joined(separator: ","))}}"#
        } body: { text in
            _ = try PolicyFile.policy(fromJSON: text)
        }
        #expect(growth < Growth.tolerated)
    }
}
