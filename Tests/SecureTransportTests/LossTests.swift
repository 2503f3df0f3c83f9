import Glibc
import MediaKernel
import SecureTransport
import Testing

extension Tag {
    /// Waits on a real clock, since OpenSSL's retransmission timer supports no other.
    @Tag static var realTime: Self
}

/// Real time in bounded steps: at most a second and a half in all, no matter how late the steps
/// come.
private struct RealTime {
    private let clock = ContinuousClock()
    private let start = ContinuousClock().now
    private var stepsLeft = 150

    mutating func step() -> Instant? {
        guard stepsLeft > 0 else { return nil }
        stepsLeft -= 1
        usleep(10_000)
        return .zero + (clock.now - start)
    }
}

@Suite("DTLS with loss", .tags(.realTime))
struct LossTests {
    @Test("The first flight of each side is lost, and sent again at nextDeadline")
    func firstFlights() throws {
        let pair = try DTLSPair()
        var time = RealTime()
        pair.start()
        #expect(pair.client.nextDeadline != nil)
        var lost: Set<DTLSPair.Side> = []
        let losesFirst: (DTLSPair.Side, [UInt8]) -> [UInt8]? = { side, datagram in
            lost.insert(side).inserted ? nil : datagram
        }
        pair.exchange(losesFirst)
        #expect(lost == [.client])
        while !(pair.client.isConnected && pair.server.isConnected), let now = time.step() {
            pair.now = now
            pair.client.handleTimeout(at: now)
            pair.server.handleTimeout(at: now)
            pair.exchange(losesFirst)
        }
        #expect(lost == [.client, .server])
        #expect(pair.clientOutputs == [.connected])
        #expect(pair.serverOutputs == [.connected])
        #expect(pair.client.nextDeadline == nil && pair.server.nextDeadline == nil)
    }

    @Test("A deadline that has not come does nothing")
    func early() throws {
        let pair = try DTLSPair()
        pair.client.start(at: .zero)
        let deadline = try #require(pair.client.nextDeadline)
        #expect(deadline > .zero && deadline <= .zero + .milliseconds(200))
        pair.exchange { _, _ in nil }
        pair.client.handleTimeout(at: .zero)
        #expect(pair.client.poll() == nil)
        #expect(pair.client.nextDeadline == deadline)
    }

    @Test("A lost last flight is sent again when the peer repeats its own")
    func lastFlight() throws {
        let pair = try DTLSPair()
        var time = RealTime()
        pair.start()
        var lost = 0
        pair.exchange { side, datagram in
            guard side == .server, pair.server.isConnected else { return datagram }
            lost += 1
            return nil
        }
        #expect(lost > 0 && !pair.client.isConnected)
        while !pair.client.isConnected, let now = time.step() {
            pair.now = now
            pair.client.handleTimeout(at: now)
            pair.exchange()
        }
        #expect(pair.clientOutputs == [.connected])
        #expect(pair.server.isConnected)
    }
}
