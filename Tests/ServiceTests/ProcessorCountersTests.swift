import MediaKernel
import Testing

@testable import Service

/// Figures from a machine with two processors and from containers on it.
struct ProcessorCountersTests {
    static let stat = """
        cpu  1000 20 300 9000 100 0 10 5 0 0
        cpu0 600 10 200 4000 40 0 5 3 0 0
        cpu1 400 10 100 5000 60 0 5 2 0 0
        intr 123 0 0
        ctxt 99
        """

    @Test(arguments: [("0-1", 91.0), ("0", 40.4), ("1", 50.6), ("0,1", 91.0), ("0-63", 91.0)])
    func onlyProcessorsThatMayBeUsedCount(list: String, seconds: Double) {
        #expect(
            ProcessorCounters.idleSeconds(
                stat: Self.stat,
                status: "Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t\(list)\n",
                ticksPerSecond: 100) == seconds)
    }

    @Test(arguments: ["", "a", "1-", "-", "3-1", "1-2-3", "0,x", "5"])
    func whatIsNotUnderstoodIsUnknown(list: String) {
        #expect(
            ProcessorCounters.idleSeconds(
                stat: Self.stat, status: "Cpus_allowed_list:\t\(list)\n", ticksPerSecond: 100)
                == nil)
    }

    @Test func aQuotaIsOfTheProcessesOwnGroup() {
        #expect(
            ProcessorCounters.groupPath("0::/system.slice/roomcast.service\n")
                == "/system.slice/roomcast.service")
        #expect(ProcessorCounters.groupPath("4:cpu:/a\n0::/\n") == "/")
        #expect(ProcessorCounters.groupPath("4:cpu:/a\n") == nil)
        let stat = "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n"
        #expect(
            ProcessorCounters.group(maximum: "150000 100000\n", stat: stat)
                == .init(used: 2.5, cores: 1.5))
        #expect(ProcessorCounters.group(maximum: "max 100000\n", stat: stat) == nil)
        #expect(ProcessorCounters.group(maximum: "150000 0\n", stat: stat) == nil)
        #expect(ProcessorCounters.group(maximum: "150000 100000\n", stat: "") == nil)
    }

    @Test func thisMachineCounts() throws {
        let counters = try #require(ProcessorCounters.current())
        #expect(counters.idle > 0)
    }
}

struct IdleCoresTests {
    @Test func theAverageIsOfTheLastSeconds() {
        var cores = IdleCores()
        #expect(cores.mean == nil)
        var idle = 500.0
        for second in 0...20 {
            cores.note(ProcessorCounters(idle: idle, group: nil), at: .zero + .seconds(second))
            idle += second < 10 ? 2 : 0.5
            if second == 0 { #expect(cores.mean == nil) }
            if second == 10 { #expect(cores.mean == 2) }
            // Two seconds of the five were busier.
            if second == 12 { #expect(cores.mean == 1.4) }
        }
        #expect(cores.mean == 0.5)
    }

    @Test func aLookIsDueOnceASecond() {
        var cores = IdleCores()
        #expect(cores.isDue(at: .zero))
        cores.note(ProcessorCounters(idle: 1, group: nil), at: .zero)
        #expect(!cores.isDue(at: .zero + .milliseconds(999)))
        #expect(cores.isDue(at: .zero + .seconds(1)))
    }

    @Test func whatIsLeftOfAQuotaMayBeLess() {
        var cores = IdleCores()
        cores.note(ProcessorCounters(idle: 10, group: .init(used: 7, cores: 1.5)), at: .zero)
        cores.note(
            ProcessorCounters(idle: 16, group: .init(used: 9, cores: 1.5)), at: .zero + .seconds(2))
        #expect(cores.mean == 0.5)
        // The quota may be exceeded for a moment.
        cores.note(
            ProcessorCounters(idle: 22, group: .init(used: 19, cores: 1.5)), at: .zero + .seconds(4)
        )
        #expect(cores.mean == 0)
    }
}
