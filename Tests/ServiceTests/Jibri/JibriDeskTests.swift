import ControlAPI
import Jibri
import MediaKernel
import Testing

@testable import Service

/// Slots at work, with a recorder and breweries that only note what they are told.
@Suite(.timeLimit(.minutes(2))) struct JibriDeskTests {
    private let recorder = RecorderDouble()
    private let post = PostDouble()

    private func desk(slots: Int = 1, isSingleUse: Bool = false) -> JibriDesk {
        JibriDesk(
            slots: slots, servers: BreweryServer.all(of: JibriDoubles.settings()),
            isSingleUse: isSingleUse, recorder: recorder, post: post,
            logger: JibriDoubles.logger)
    }

    private func running(
        _ desk: JibriDesk, _ body: () async throws -> Void
    ) async throws {
        let work = Task { await desk.run() }
        defer { work.cancel() }
        try await body()
    }

    private func said(_ count: Int) async throws -> [String] {
        try await until { post.count >= count }
        return post.taken()
    }

    @Test func aRecordingGoesFromPendingToOnToOff() async throws {
        let desk = desk()
        try await running(desk) {
            await desk.take(.joined(server: 0), slot: 0)
            #expect(try await said(1) == ["0: show idle"])
            await desk.take(.asked(JibriDoubles.start("a"), server: 0), slot: 0)
            #expect(try await said(2) == ["0: answer pending", "0: show busy"])
            try await until { recorder.orders == ["admit a 0 prod", "begin a 0"] }
            #expect(await desk.environment?.host == "xmpp.meet.example:5222")
            recorder.say("a", .running)
            #expect(try await said(1) == ["0: tell on"])
            await desk.take(.asked(JibriDoubles.stop("a"), server: 0), slot: 0)
            try await until { recorder.orders.last == "end a 0" }
            #expect(post.taken().isEmpty, "the stop is answered when the files are complete")
            recorder.say("a", .closed)
            #expect(try await said(2) == ["0: answer off", "0: show idle"])
            #expect(await desk.environment == nil)
        }
    }

    @Test func aFullMachineIsBusy() async throws {
        let desk = desk()
        recorder.isFull = true
        try await running(desk) {
            await desk.take(.joined(server: 0), slot: 0)
            _ = try await said(1)
            await desk.take(.asked(JibriDoubles.start("a"), server: 0), slot: 0)
            #expect(try await said(1) == ["0: answer busy"])
            #expect(recorder.orders == ["admit a 0 prod"])
        }
    }

    @Test func aFailureSaysWhetherAnotherOneShouldTry() async throws {
        let desk = desk()
        try await running(desk) {
            await desk.take(.joined(server: 0), slot: 0)
            await desk.take(.asked(JibriDoubles.start("a"), server: 0), slot: 0)
            _ = try await said(3)
            recorder.say("a", .ended(.failed(.targetRefused)))
            recorder.say("a", .closed)
            #expect(try await said(2) == ["0: tell error final", "0: show idle"])
            await desk.take(.asked(JibriDoubles.start("b"), server: 0), slot: 0)
            _ = try await said(2)
            recorder.say("b", .ended(.failed(.disk)))
            #expect(try await said(2) == ["0: tell error retry", "0: show busy sick"])
            #expect(await !desk.isHealthy)
        }
    }

    @Test func oneSessionInTwoSlotsIsEndedInTheFirst() async throws {
        let desk = desk(slots: 2)
        try await running(desk) {
            for slot in 0..<2 {
                await desk.take(.asked(JibriDoubles.start("a"), server: 0), slot: slot)
            }
            try await until {
                recorder.orders.contains("begin a 1") && recorder.orders.contains("end a 0")
            }
            #expect(!recorder.orders.contains("end a 1"))
        }
    }

    @Test func itLeavesWhenEachSlotIsAtRest() async throws {
        let desk = desk(slots: 2)
        let isOver = Task { await desk.run() }
        await desk.take(.asked(JibriDoubles.start("a"), server: 0), slot: 1)
        try await until { recorder.orders.contains("begin a 1") }
        await desk.leave(.whenIdle)
        #expect(!recorder.orders.contains("end all"))
        #expect(await desk.business == .busy)
        recorder.say("a", slot: 1, .ended(.finished))
        recorder.say("a", slot: 1, .closed)
        await isOver.value
    }

    @Test func itEndsWhatIsRecordedWhenItIsToLeaveAtOnce() async throws {
        let desk = desk()
        let isOver = Task { await desk.run() }
        await desk.take(.asked(JibriDoubles.start("a"), server: 0), slot: 0)
        try await until { recorder.orders.contains("begin a 0") }
        await desk.leave(.now)
        #expect(recorder.orders.last == "end all")
        recorder.say("a", .ended(.finished))
        recorder.say("a", .closed)
        await isOver.value
    }

    @Test func aSlotOfSingleUseHasExpired() async throws {
        let desk = desk(isSingleUse: true)
        try await running(desk) {
            await desk.take(.asked(JibriDoubles.start("a"), server: 0), slot: 0)
            try await until { recorder.orders.contains("begin a 0") }
            recorder.say("a", .ended(.finished))
            recorder.say("a", .closed)
            try await until { await desk.business == .expired }
        }
    }
}
