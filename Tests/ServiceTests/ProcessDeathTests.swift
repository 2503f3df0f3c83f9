import Catalogue
import ChildProcesses
import Foundation
import MediaKernel
import Streams
import Synchronization
import Testing

@testable import Service

@Suite struct MemoryKillsTests {
    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    @Test func aDeathAtTheTimeOfAKillIsOne() {
        var kills = MemoryKills()
        // Kills before this process began mean nothing.
        kills.note(7, at: at(0))
        #expect(kills.claim(7, at: at(1)) == false)
        #expect(kills.claim(8, at: at(2)) == true)
        #expect(kills.claim(8, at: at(2)) == false)
        kills.note(10, at: at(3))
        let claims = [kills.claim(10, at: at(3.5)), kills.claim(10, at: at(4))]
        #expect(claims == [true, true])
        #expect(kills.claim(10, at: at(4)) == false)
    }

    @Test func aKillLongAgoWasAnothers() {
        var kills = MemoryKills()
        kills.note(0, at: at(0))
        kills.note(1, at: at(1))
        #expect(kills.claim(1, at: at(11.5)) == false)
    }

    @Test func aKernelThatDoesNotCountBlamesNobody() {
        var kills = MemoryKills()
        #expect(kills.isDue(at: at(0)))
        kills.note(nil, at: at(0))
        #expect(!kills.isDue(at: at(0.5)) && kills.isDue(at: at(1)))
        #expect(kills.claim(nil, at: at(1)) == false)
        // The first number is not new.
        #expect(kills.claim(5, at: at(2)) == false)
    }

    @Test func theCounterIsFoundInEitherKindOfGroups() {
        #expect(
            MemoryKills.paths("0::/system.slice/roomcast.service\n") == [
                "/sys/fs/cgroup/system.slice/roomcast.service/memory.events", "/proc/vmstat",
            ])
        #expect(
            MemoryKills.paths("0::/\n4:memory:/a:b/c\n2:cpu,cpuacct:/d\n") == [
                "/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/a:b/c/memory.oom_control",
                "/proc/vmstat",
            ])
        #expect(MemoryKills.count("low 0\noom 3\noom_kill 2\noom_group_kill 1\n") == 2)
        #expect(MemoryKills.count("oom_kill_disable 0\nunder_oom 0\noom_kill 4\n") == 4)
        #expect(MemoryKills.count("nr_free_pages 1\n") == nil)
    }
}

@Suite struct ProcessDeathCauseTests {
    @Test(
        arguments: [
            (.signal(9), .notReady, true, .notReady), (.signal(9), nil, true, .outOfMemory),
            (.signal(9), nil, false, .outside), (.signal(15), .notFinished, false, .notFinished),
            (.signal(15), nil, true, .outside), (.signal(11), .stoodStill, false, .crashed),
            (.signal(4), nil, false, .crashed), (.signal(31), nil, false, .crashed),
            (.status(1), nil, false, .gaveUp), (.reported, nil, true, .gaveUp),
            (.status(1), .notFinished, false, .notFinished), (.unknown, nil, false, .gaveUp),
        ] as [(ProcessEnding, ProcessDeath.Cause?, Bool, ProcessDeath.Cause)])
    func whoseDoingItWas(
        ending: ProcessEnding, order: ProcessDeath.Cause?, isForMemory: Bool,
        cause: ProcessDeath.Cause
    ) {
        #expect(
            ProcessDeath.Cause(ending, orderedFor: order, isForMemory: isForMemory) == cause)
    }

    @Test func itIsSaidInWords() {
        func words(_ cause: ProcessDeath.Cause, signal: Int32? = nil, message: String? = nil)
            -> String
        {
            ProcessDeath(
                role: .bot, cause: cause, signal: signal, message: message,
                at: UnixTime(seconds: 1)
            ).description
        }
        #expect(words(.outside, signal: 9) == "signal 9 from outside")
        #expect(words(.crashed, signal: 11) == "crashed with signal 11")
        #expect(words(.outOfMemory, signal: 9) == "killed by the kernel: out of memory")
        #expect(words(.notReady, signal: 9) == "killed by the server: not ready in time")
        #expect(words(.gaveUp, message: "disk full") == "disk full")
        #expect(
            Set(ProcessDeath.Cause.allCases.map { words($0) }).count
                == ProcessDeath.Cause.allCases.count)
    }
}

@Suite(.timeLimit(.minutes(5))) struct ProcessDeathTests {
    private func deaths(_ world: StreamsWorld, _ id: StreamID) async throws -> [ProcessDeath] {
        try #require(try await world.streams.stream(id)).health.deaths
    }

    @Test func aBotsDeathIsInTheStreamsRecordAtOnce() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let first = try #require(await world.launcher.next())
            await first.say(.running(firstSegmentMilliseconds: 1))
            let second = try #require(
                try await world.replace(first, .failed(reason: "", .signal(9))))
            world.memory.kills.withLock { $0 = 1 }
            _ = try #require(try await world.replace(second, .failed(reason: "", .signal(9))))
            let deaths = try await deaths(world, id)
            #expect(deaths.map(\.cause) == [.outside, .outOfMemory])
            #expect(deaths.map(\.role) == [.bot, .bot] && deaths.map(\.signal) == [9, 9])
            let path = "\(world.directory)/demo/\(id)/stream.json"
            let file = try String(contentsOfFile: path, encoding: .utf8)
            #expect(file.contains("outside") && file.contains("out_of_memory"))
        }
    }

    @Test func whatWeKilledABotForIsKnown() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let first = try #require(await world.launcher.next())
            world.clock.advance(.seconds(30))
            await world.tick()
            #expect(await first.nextSignal() == .kill)
            let second = try #require(
                try await world.replace(first, .failed(reason: "", .signal(9))))
            await second.say(.running(firstSegmentMilliseconds: 1))
            world.clock.advance(.seconds(30))
            await world.tick()
            let third = try #require(
                try await world.replace(second, .failed(reason: "", .signal(9))))
            // Its successor is not affected.
            await third.say(.running(firstSegmentMilliseconds: 1))
            let fourth = try #require(
                try await world.replace(third, .failed(reason: "no encoder", .reported)))
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            world.clock.advance(.seconds(15))
            await world.tick()
            world.clock.advance(.seconds(5))
            await world.tick()
            try await world.end(fourth, .failed(reason: "", .signal(9)))
            // It was only too slow: its published segments count.
            #expect(await world.observer.ending()?.status == .completed)
            let deaths = try await deaths(world, id)
            try #require(deaths.map(\.cause) == [.notReady, .stoodStill, .gaveUp, .notFinished])
            #expect(deaths[2].message == "no encoder")
            let row = try #require(try await world.catalogue.stream(id))
            #expect(LiveStream(row)?.health.deaths == deaths)
        }
    }

    @Test func theLatestDeathsAreKeptAndNoMore() async throws {
        try await StreamsWorld { $0.rules.restartsMaximum = 30 }.run { world in
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            var bot = try #require(await world.launcher.next())
            for status in 1...12 as ClosedRange<Int32> {
                bot = try #require(
                    try await world.replace(bot, .failed(reason: "", .status(status))))
            }
            #expect(try await deaths(world, id).map(\.status) == (3...12).map { Int32($0) })
        }
    }
}
