import Clocks
import MediaKernel
import NIOConcurrencyHelpers
import NIOCore

/// The members in the room so far, and how long their joins took.
final class Arrivals: Sendable {
    private struct State {
        var joins: [Int: Duration] = [:]
        var firsts: [Int: Duration] = [:]
        var peers: [(index: Int, peer: NIOLoopBound<LoadPeer>)] = []
    }

    private let state = NIOLockedValueBox(State())

    /// On the media loop.
    func came(_ index: Int, _ peer: LoadPeer, on loop: any EventLoop) {
        let bound = NIOLoopBound(peer, eventLoop: loop)
        state.withLockedValue { $0.peers.append((index, bound)) }
    }

    func joined(_ index: Int, after duration: Duration) {
        state.withLockedValue { if $0.joins[index] == nil { $0.joins[index] = duration } }
    }

    func heard(_ index: Int, after duration: Duration) {
        state.withLockedValue { $0.firsts[index] = duration }
    }

    /// The time that each member took to join and, except for the first, to hear another one.
    var milliseconds: (joins: [Double], firsts: [Double]) {
        state.withLockedValue { state in
            func all(_ times: [Int: Duration]) -> [Double] {
                times.filter { $0.key > 0 }.values.map { Double($0.nanoseconds) / 1e6 }
            }
            return (all(state.joins), all(state.firsts))
        }
    }

    /// Returns once these members have joined and receive all speakers and cameras.
    func wait(
        for members: Range<Int>, of load: Load, timeout: Duration, look: Duration
    ) async throws {
        let begin = MonotonicClock.now
        while true {
            let (joined, peers) = state.withLockedValue { ($0.joins.count, $0.peers) }
            var late: [String] = []
            if joined == members.count, let loop = peers.first?.peer.eventLoop {
                late = try await loop.submit {
                    peers.filter { index, peer in
                        peer.value.heardTracks < load.expectedTracks(of: index)
                    }.map(\.peer.value.account)
                }.get()
                if late.isEmpty { return }
            }
            guard MonotonicClock.now - begin < timeout else {
                throw Rehearsal.Incomplete(
                    description: """
                        \(joined) of \(members.count) peers joined; within \(timeout) these did not \
                        receive everybody: \(late.joined(separator: ", "))
                        """)
            }
            try await Task.sleep(for: look)
        }
    }
}
