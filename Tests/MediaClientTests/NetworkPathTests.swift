import MediaKernel
import Testing

@testable import MediaClient

/// The effect of `NetworkConditions` on datagrams, at simulated times.
@Suite struct NetworkPathTests {
    /// Sends numbered datagrams every 5 ms; returns each one's number and delay in the order in
    /// which they left.
    private func travel(
        _ conditions: NetworkConditions, count: Int = 2000
    ) -> [(number: Int, delay: Duration)] {
        var path = NetworkPath(conditions)
        var arrived: [(number: Int, delay: Duration)] = []
        for millisecond in 0..<(count * 5 + 1000) {
            let now = Instant.zero + .milliseconds(millisecond)
            let number = millisecond / 5
            if millisecond.isMultiple(of: 5), number < count {
                path.send(datagram(number), at: now)
            }
            for datagram in path.due(at: now) {
                let number = Int(datagram.bytes[0]) << 8 | Int(datagram.bytes[1])
                arrived.append((number, .milliseconds(millisecond - number * 5)))
            }
        }
        return arrived
    }

    private static let address = TransportAddress(ipv4: 127, 0, 0, 1, port: 1)

    private func datagram(_ number: Int) -> NetworkPath.Datagram {
        NetworkPath.Datagram(
            bytes: [UInt8(number >> 8), UInt8(number & 255)],
            address: Self.address)
    }

    @Test func aGoodNetworkPassesEverythingAtOnce() {
        let arrived = travel(NetworkConditions())
        #expect(arrived.map(\.number) == Array(0..<2000))
        #expect(arrived.allSatisfy { $0.delay == .zero })
    }

    @Test func theAskedForShareIsLost() {
        let arrived = travel(NetworkConditions(loss: 0.2))
        #expect((1540...1660).contains(arrived.count))
        #expect(travel(NetworkConditions(loss: 1)).isEmpty)
    }

    @Test func jitterDelaysWithinItsBoundAndKeepsTheOrder() {
        let arrived = travel(NetworkConditions(jitter: .milliseconds(50)))
        #expect(arrived.map(\.number) == Array(0..<2000))
        #expect(arrived.allSatisfy { (.zero ... .milliseconds(51)).contains($0.delay) })
        #expect(Set(arrived.map(\.delay)).count > 20)
    }

    @Test func reorderedDatagramsAreOvertakenAndNoneIsLost() {
        let arrived = travel(NetworkConditions(reordering: 0.1)).map(\.number)
        #expect(arrived.sorted() == Array(0..<2000))
        let overtaken = zip(arrived, arrived.dropFirst()).count { $0 > $1 }
        #expect((100...260).contains(overtaken))
    }

    @Test func equalSeedsGiveEqualConditions() {
        func numbers(_ seed: UInt64) -> [Int] {
            travel(NetworkConditions(loss: 0.3, seed: seed)).map(\.number)
        }
        #expect(numbers(7) == numbers(7))
        #expect(numbers(7) != numbers(8))
    }

    @Test func anInterruptedPathLosesWhatIsSentAndWhatIsOnItsWay() {
        var path = NetworkPath(NetworkConditions(jitter: .milliseconds(50), seed: 3))
        for number in 0..<20 { path.send(datagram(number), at: .zero) }
        path.interrupt(until: .zero + .seconds(1))
        path.send(datagram(20), at: .zero + .milliseconds(999))
        #expect(path.isInterrupted(at: .zero + .milliseconds(999)))
        #expect(path.due(at: .zero + .seconds(2)).isEmpty)
        #expect(!path.isInterrupted(at: .zero + .seconds(1)))
        path.send(datagram(21), at: .zero + .seconds(1))
        #expect(path.due(at: .zero + .seconds(2)).map { $0.bytes[1] } == [21])
    }

    @Test func thePathHoldsNoMoreThanItsMaximum() {
        var path = NetworkPath(NetworkConditions(reordering: 1))
        for number in 0...NetworkPath.datagramsMaximum { path.send(datagram(number), at: .zero) }
        #expect(path.due(at: .zero + .seconds(1)).count == NetworkPath.datagramsMaximum)
    }
}
