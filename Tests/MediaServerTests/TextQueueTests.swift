import MediaKernel
import Testing

@testable import MediaServer

@Suite struct TextQueueTests {
    /// Letters to be distributed, as a reference, so that expectations can take them.
    private final class Post {
        private var letters = TextQueue()

        func add(_ number: Int) -> Int? {
            letters.add(.init(peer: "ann", text: "\(number)")).flatMap { Int($0.text) }
        }

        func turn(peers: Int) -> [Int] {
            letters.beginTurn(peers: peers)
            return rest()
        }

        /// The letters that are sent without a new turn.
        func rest() -> [Int] {
            var texts: [Int] = []
            while let letter = letters.next() { texts.append(Int(letter.text) ?? -1) }
            return texts
        }
    }

    @Test func whatAHundredAreToldTakesSomeTurns() {
        let post = Post()
        for number in 0..<101 { #expect(post.add(number) == nil) }
        var turns = [post.rest()]
        while turns.last?.isEmpty == false { turns.append(post.turn(peers: 101)) }
        #expect(turns.flatMap { $0 } == Array(0..<101))
        #expect(turns.map(\.count) == [4] + Array(repeating: 6, count: 16) + [1, 0])
    }

    @Test func whatAFewAreToldGoesAtOnce() {
        let post = Post()
        for number in 0..<3 {
            _ = post.add(number)
            #expect(post.rest() == [number])
        }
        for number in 3..<6 { _ = post.add(number) }
        #expect(post.rest() == [3])
        #expect(post.turn(peers: 2) == [4, 5])
    }

    @Test func aFloodIsOverSoon() {
        let post = Post()
        for number in 0..<10_000 { _ = post.add(number) }
        var turns = 0
        while !post.turn(peers: 100).isEmpty { turns += 1 }
        // Three and a half seconds, in steps of 10 ms; five per turn would take twenty.
        #expect(turns < 350)
    }

    @Test func ofTooManyTheFirstGoAtOnceAndNoneIsLost() {
        let post = Post()
        let maximum = TextQueue.waitingMaximum
        for number in 0..<maximum { #expect(post.add(number) == nil) }
        #expect(post.add(maximum) == 0)
        #expect(post.add(maximum + 1) == 1)
        #expect(post.turn(peers: 5000) == Array(2..<2 + maximum / 50))
    }
}

extension SimulatedRoomTests {
    @Suite struct ToldTests {
        @Test func whatAPeerIsToldComesInOrder() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(1))
            let texts = (0..<100).map { "letter \($0)" }
            room.room.sendTexts(
                texts.map { (peer: PeerID("viewer"), text: $0) }, at: room.now)
            room.run(for: .seconds(1))
            #expect(room.heard == texts)
        }
    }
}
