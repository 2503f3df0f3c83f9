import MediaKernel
import RTP
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    /// Packets sent to measure a path's capacity.
    @Suite struct Probes {
        private func connected(videos: Int) throws -> (wire: Wire, mids: [String]) {
            let wire = Wire()
            let mids = try (0..<videos).map { number in
                try wire.server.core.add(
                    .video("video-\(number)", extensions: [HeaderExtensionURI.transportSequence]))
            }
            try wire.connect(offering: .server)
            return (wire, mids)
        }

        /// The server's RTP datagrams while it probes for a megabit per second.
        private func probe(_ wire: Wire) -> [[UInt8]] {
            let before = wire.sent.count
            wire.server.core.beginProbe(bitsPerSecond: 1_000_000, at: wire.now)
            wire.run(for: .milliseconds(150))
            return wire.sent.dropFirst(before).compactMap { from, bytes in
                let isMedia = (128...191).contains(bytes.first ?? 0) && !RTPPacket.isRTCP(bytes)
                return from == .server && isMedia ? bytes : nil
            }
        }

        @Test func whereNothingWasSentYetAProbeIsNoFasterThanItIsMeantToBe() throws {
            let (wire, _) = try connected(videos: 1)
            let bytes = probe(wire).reduce(0) { $0 + $1.count }
            #expect((5000...16_000).contains(bytes))
        }

        @Test func whatWasSentIsRepeatedBeforeAnythingIsPadded() throws {
            let (wire, mids) = try connected(videos: 12)
            for number in 0..<20 {
                wire.server.core.send(
                    packet(number, payload: [UInt8](repeating: 1, count: 1000)), mid: mids[5],
                    at: wire.now)
            }
            wire.run(for: .milliseconds(200))
            let datagrams = probe(wire)
            #expect((5...15).contains(datagrams.count))
            #expect(datagrams.allSatisfy { $0.count > 1000 })
        }
    }
}
