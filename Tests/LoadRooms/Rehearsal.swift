import Clocks
import Foundation
import MediaKernel
import NIOCore
import RoomClient

/// One measurement: all join, then the clock runs.
struct Rehearsal: Sendable {
    let load: Load
    let attendance: any Attendance
    let loop: any EventLoop
    let server: Int32
    let pause: Duration
    let length: Duration

    struct Incomplete: Error, CustomStringConvertible {
        let description: String
    }

    private static let joinTimeout: Duration = .seconds(120)
    private static let look: Duration = .milliseconds(200)

    func run() async throws -> Report {
        let loop = loop
        let measurement = try await loop.submit {
            NIOLoopBound(Measurement(), eventLoop: loop)
        }.get()
        let arrivals = Arrivals()
        return try await withThrowingTaskGroup(of: Report?.self) { tasks in
            for index in 0..<load.peers {
                tasks.addTask {
                    // Those who speak come first, so that whoever joins has somebody to hear.
                    try await Task.sleep(for: pause * index)
                    try await attend(Member(index: index, of: load), measurement, arrivals)
                    return nil
                }
            }
            tasks.addTask {
                try await arrivals.wait(for: load, timeout: Self.joinTimeout, look: Self.look)
                return try await measure(measurement, arrivals)
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

    private func attend(
        _ member: Member, _ measurement: NIOLoopBound<Measurement>, _ arrivals: Arrivals
    ) async throws {
        let begin = MonotonicClock.now
        let index = member.index
        try await attendance.attend(member) {
            let peer = LoadPeer(sources: member.sources, measurement: measurement.value) { now in
                arrivals.heard(index, after: now - begin)
            }
            arrivals.came(index, peer, on: measurement.eventLoop)
            return peer
        } joined: {
            arrivals.joined(index, after: MonotonicClock.now - begin)
        }
    }

    private func measure(
        _ measurement: NIOLoopBound<Measurement>, _ arrivals: Arrivals
    ) async throws -> Report {
        let own = ProcessInfo.processInfo.processIdentifier
        try await loop.submit { measurement.value.reset() }.get()
        let begin = MonotonicClock.now
        let (serverBefore, ownBefore) = (
            try ProcessUsage.cpuSeconds(server), try ProcessUsage.cpuSeconds(own)
        )
        try await Task.sleep(for: length)
        let elapsed = Double((MonotonicClock.now - begin).nanoseconds) / 1e9
        let serverUsed = try ProcessUsage.cpuSeconds(server) - serverBefore
        let ownUsed = try ProcessUsage.cpuSeconds(own) - ownBefore
        let memory = try ProcessUsage.peakMegabytes(server)
        let (joins, firsts) = arrivals.milliseconds
        let load = load
        return try await loop.submit {
            let found = measurement.value
            return Report(
                peers: load.peers, speaking: load.speaking, cameras: load.cameras,
                seconds: elapsed, joinMsMedian: joins.percentile(0.5) ?? 0,
                joinMsP95: joins.percentile(0.95) ?? 0,
                firstPacketMsP95: firsts.percentile(0.95) ?? 0, packets: found.received,
                packetsPerSecond: Double(found.received) / elapsed,
                lostShare: Double(found.lost) / Double(max(found.received + found.lost, 1)),
                latencyMsMedian: found.latency(0.5), latencyMsP99: found.latency(0.99),
                latencyMsMax: Double(found.worst) / 1e6, serverCores: serverUsed / elapsed,
                loadCores: ownUsed / elapsed,
                serverMicrosecondsPerPacket: serverUsed * 1e6 / Double(max(found.received, 1)),
                serverMb: memory)
        }.get()
    }
}
