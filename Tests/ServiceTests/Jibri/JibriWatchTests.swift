import Foundation
import Jibri
import MediaKernel
import Synchronization
import Testing

@testable import Service

/// What is looked at again and again, at times that the test names.
@Suite(.timeLimit(.minutes(2))) struct JibriWatchTests {
    private let recorder = RecorderDouble()
    private let post = PostDouble()
    private let fault = FaultDouble()

    private final class FaultDouble: Sendable {
        private let text = Mutex<String?>(nil)
        private let checks = Mutex(0)

        func set(_ fault: String?) { text.withLock { $0 = fault } }
        var count: Int { checks.withLock { $0 } }

        func check() -> String? {
            checks.withLock { $0 += 1 }
            return text.withLock { $0 }
        }
    }

    private func watch() async -> (JibriDesk, JibriWatch) {
        let desk = JibriDesk(
            slots: 1, servers: BreweryServer.all(of: JibriDoubles.settings()), isSingleUse: false,
            recorder: recorder, post: post, logger: JibriDoubles.logger)
        await desk.take(.joined(server: 0), slot: 0)
        let fault = fault
        return (desk, JibriWatch(desk: desk, recorder: recorder) { fault.check() })
    }

    private func words(_ health: JibriHealth) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let event = try encoder.encode(JibriEvent(id: "rec-1", health))
        return String(decoding: event, as: UTF8.self)
    }

    @Test func slotsAreBusyWhileTheMachineIsFull() async throws {
        let (_, watch) = await watch()
        recorder.isFull = true
        await watch.tick(at: .zero)
        await watch.tick(at: .zero + .seconds(1))
        recorder.isFull = false
        await watch.tick(at: .zero + .seconds(2))
        #expect(post.taken() == ["0: show idle", "0: show busy", "0: show idle"])
        #expect(recorder.ticks == 3)
    }

    @Test func theDiskIsLookedAtEveryFewSeconds() async throws {
        let (_, watch) = await watch()
        for second in [0, 1, 14, 15, 29] { await watch.tick(at: .zero + .seconds(second)) }
        #expect(fault.count == 2)
        fault.set("/rec: full")
        await watch.tick(at: .zero + .seconds(30))
        fault.set(nil)
        await watch.tick(at: .zero + .seconds(45))
        #expect(post.taken() == ["0: show idle", "0: show idle sick", "0: show idle"])
    }

    @Test func aSlotWhoseDiskFailedIsWellWhenTheDiskIs() async throws {
        let (desk, watch) = await watch()
        await watch.tick(at: .zero)
        await desk.take(.ended(session: "a", .failed(.disk)), slot: 0)
        await watch.tick(at: .zero + .seconds(14))
        #expect(post.taken() == ["0: show idle", "0: show idle sick"])
        await watch.tick(at: .zero + .seconds(15))
        #expect(post.taken() == ["0: show idle"])
    }

    @Test(arguments: [true, false]) func figuresAreToldIfTheOperatorWantsThem(isOn: Bool) async {
        let (desk, watch) = await watch()
        let reception = JibriReception(
            desk: desk, watch: watch, exit: JibriExit(), showsMetrics: isOn)
        #expect((await reception.metrics() != nil) == isOn)
    }

    /// The free space differs with each look.
    @Test func wordsOfAFaultThatChangeAreNoNews() async throws {
        let (_, watch) = await watch()
        var reports = watch.reports.makeAsyncIterator()
        for (second, free) in [(0, 900), (15, 899), (30, 898), (45, 897), (60, 896)] {
            fault.set("/rec: \(free) MiB are free")
            await watch.tick(at: .zero + .seconds(second))
        }
        let last = String(decoding: try JSONEncoder().encode(await watch.health), as: UTF8.self)
        #expect(last.contains("896 MiB"), "who asks is told the newest")
        fault.set(nil)
        await watch.tick(at: .zero + .seconds(75))
        var words: [String] = []
        for _ in 0..<3 { words.append(try self.words(try #require(await reports.next()))) }
        #expect(words[0].contains("900 MiB") && words[1].contains("896 MiB"))
        #expect(words[2].contains(#""healthStatus":"HEALTHY""#))
    }

    @Test func webhooksAreToldOfChangesAndEachMinute() async throws {
        let (_, watch) = await watch()
        var reports = watch.reports.makeAsyncIterator()
        for second in [0, 44] { await watch.tick(at: .zero + .seconds(second)) }
        fault.set("/rec: full")
        await watch.tick(at: .zero + .seconds(60))
        for second in [61, 119, 120] { await watch.tick(at: .zero + .seconds(second)) }
        func report(_ health: String, _ details: String = "{}") -> String {
            #"{"jibriId":"rec-1","status":{"busyStatus":"IDLE","health":{"details":"#
                + #"\#(details),"healthStatus":"\#(health)"}}}"#
        }
        let details = #"{"JibriManager":{"detail":"\/rec: full","healthStatus":"UNHEALTHY"}}"#
        var words: [String] = []
        for _ in 0..<3 { words.append(try self.words(try #require(await reports.next()))) }
        #expect(
            words == [
                report("HEALTHY"), report("UNHEALTHY", details), report("UNHEALTHY", details),
            ])
    }
}
