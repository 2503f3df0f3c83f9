import ICE
import MediaKernel
import RTP
import SDP
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    /// Clients that send media but hardly any STUN, such as libnice, Kurento and old Pion.
    @Suite struct SilentClients {
        private func isSTUN(_ bytes: [UInt8], _ classes: Set<UInt8>) -> Bool {
            STUNMessage.isSTUN(bytes) && classes.contains(bytes[0] << 1 | bytes[1] >> 4 & 1)
        }

        /// - Parameter answers: whether the client answers the server's checks.
        @Test(arguments: [true, false])
        func whoSendsMediaAndNoChecksStaysConnected(answers: Bool) throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.video())
            try wire.connect(offering: .client)
            wire.drops = { side, bytes in
                // Class bits: requests 0, answers 2.
                side == .client && isSTUN(bytes, answers ? [0] : [0, 2])
            }
            // The client's own agent would keep the connection alive by its checks, which the
            // server does not get: here the encrypted packets are made without it.
            let media = try #require(wire.server.core.incomingTracks.first?.ssrc)
            let type = try #require(
                wire.server.core.incomingTracks.first?.codec.payloadType)
            var number = 0
            for second in 0..<60 {
                for _ in 0..<5 {
                    try wire.inject(
                        packet(number, ssrc: media.rawValue, payloadType: type), from: .client)
                    number += 1
                }
                wire.run(for: .seconds(1))
                guard wire.server.core.state == .connected else {
                    Issue.record("\(wire.server.core.state) after \(second) s")
                    return
                }
            }
            #expect(wire.server.numbers(mid: mid).count == number)
            // Feedback that it needs for its media is sent, with or without proof.
            let before = wire.sent.count { $0.from == .server && RTPPacket.isRTCP($0.bytes) }
            wire.server.core.requestKeyframe(mid: mid)
            wire.run(for: .milliseconds(50))
            let reports = wire.sent.count { $0.from == .server && RTPPacket.isRTCP($0.bytes) }
            #expect(reports > before)
            #expect(wire.server.core.canSendMedia == answers)
        }

        /// If a client answers no checks, or its answers are lost, the handshake has to proceed in
        /// small steps.
        @Test func aHandshakeComesThroughWithoutProof() throws {
            let wire = Wire()
            _ = try wire.client.core.add(.video())
            wire.drops = { side, bytes in side == .client && isSTUN(bytes, [2]) }
            try wire.connect(offering: .client)
            #expect(!wire.server.core.canSendMedia)
        }
    }
}
