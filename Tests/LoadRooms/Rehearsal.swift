import Clocks
import Foundation
import MediaClient
import MediaKernel
import NIOCore

/// Peers that share an event loop.
struct Party: Sendable {
    let members: Range<Int>
    let attendance: any Attendance
    let loop: any EventLoop
}

/// One measurement: all peers join, then the clock runs.
struct Rehearsal: Sendable {
    let load: Load
    /// Senders and listeners. On one thread the speakers would send late and in bursts whenever it
    /// has a hundred listeners' packets to receive, unlike microphones.
    let crowd: [Party]
    /// The peer that measures latency. The crowd's packets wait for each other on their threads,
    /// which does not reflect the server.
    let observer: Party
    let server: Int32
    let pause: Duration
    let length: Duration

    struct Incomplete: Error, CustomStringConvertible {
        let description: String
    }

    private static let joinTimeout: Duration = .seconds(120)
    private static let look: Duration = .milliseconds(200)
    /// Between the last arrival and the measurement: time for the effects of that join to end.
    private static let settling: Duration = .seconds(5)

    /// The records of one party.
    private struct Records: Sendable {
        let measurement: NIOLoopBound<Measurement>
        let arrivals = Arrivals()

        init(on loop: any EventLoop) async throws {
            measurement = try await loop.submit {
                NIOLoopBound(Measurement(), eventLoop: loop)
            }.get()
        }

        func reset() async throws {
            let measurement = measurement
            try await measurement.eventLoop.submit { measurement.value.reset() }.get()
        }

        var tally: Tally {
            get async throws {
                let measurement = measurement
                return try await measurement.eventLoop.submit { measurement.value.tally }.get()
            }
        }
    }

    func run() async throws -> Report {
        var crowded: [Records] = []
        for party in crowd { crowded.append(try await Records(on: party.loop)) }
        let observed = try await Records(on: observer.loop)
        let parties = Array(zip(crowd + [observer], crowded + [observed]))
        return try await withThrowingTaskGroup(of: Report?.self) { tasks in
            for (party, records) in parties {
                for index in party.members {
                    tasks.addTask {
                        // Speakers come first, so that every other peer has a speaker to hear.
                        try await Task.sleep(for: pause * index)
                        try await attend(Member(index: index, of: load), of: party, records)
                        return nil
                    }
                }
            }
            tasks.addTask { [crowded] in
                for (party, records) in parties {
                    try await records.arrivals.wait(
                        for: party.members, of: load, timeout: Self.joinTimeout, look: Self.look)
                }
                try await Task.sleep(for: Self.settling)
                return try await measure(crowded, observed)
            }
            while let done = try await tasks.next() {
                if let done {
                    tasks.cancelAll()
                    return done
                }
            }
            throw Incomplete(description: "everybody left")
        }
    }

    private func attend(_ member: Member, of party: Party, _ records: Records) async throws {
        let begin = MonotonicClock.now
        let index = member.index
        let (measurement, arrivals) = (records.measurement, records.arrivals)
        try await party.attendance.attend(member) {
            let peer = LoadPeer(sources: member.sources, measurement: measurement.value) { now in
                arrivals.heard(index, after: now - begin)
            }
            arrivals.came(index, peer, on: measurement.eventLoop)
            return peer
        } joined: {
            arrivals.joined(index, after: MonotonicClock.now - begin)
        }
    }

    private func measure(_ crowded: [Records], _ observed: Records) async throws -> Report {
        let own = ProcessInfo.processInfo.processIdentifier
        for records in crowded + [observed] { try await records.reset() }
        let begin = MonotonicClock.now
        let (serverBefore, ownBefore) = (
            try ProcessUsage.cpuSeconds(server), try ProcessUsage.cpuSeconds(own)
        )
        let droppedBefore = try ProcessUsage.droppedDatagrams()
        try await Task.sleep(for: length)
        let elapsed = Double((MonotonicClock.now - begin).nanoseconds) / 1e9
        let serverUsed = try ProcessUsage.cpuSeconds(server) - serverBefore
        let ownUsed = try ProcessUsage.cpuSeconds(own) - ownBefore
        let dropped = try ProcessUsage.droppedDatagrams() - droppedBefore
        let memory = try ProcessUsage.peakMegabytes(server)
        let times = crowded.map(\.arrivals.milliseconds)
        let (joins, firsts) = (times.flatMap(\.joins), times.flatMap(\.firsts))
        let observer = try await observed.tally
        var (received, lost) = (observer.received, observer.lost)
        for records in crowded {
            let tally = try await records.tally
            received += tally.received
            lost += tally.lost
        }
        return Report(
            peers: load.peers, speaking: load.speaking, cameras: load.cameras, seconds: elapsed,
            joinMsMedian: joins.percentile(0.5) ?? 0, joinMsP95: joins.percentile(0.95) ?? 0,
            firstPacketMsP95: firsts.percentile(0.95) ?? 0, packets: received,
            packetsPerSecond: Double(received) / elapsed,
            lostShare: Double(lost) / Double(max(received + lost, 1)),
            latencyMsMedian: observer.latencyMsMedian, latencyMsP99: observer.latencyMsP99,
            latencyMsMax: observer.latencyMsMax, serverCores: serverUsed / elapsed,
            loadCores: ownUsed / elapsed,
            serverMicrosecondsPerPacket: serverUsed * 1e6 / Double(max(received + dropped, 1)),
            droppedByLoad: dropped,
            serverMb: memory)
    }
}
