import MediaKernel
import RTP
import SDP
import SecureTransport
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    /// Bytes from nobody knows where, and well encrypted nonsense from the peer itself.
    @Suite struct HostileDatagrams {
        /// A connected pair that has sent one of each kind of datagram.
        private func pair() throws -> (wire: Wire, mid: String, samples: [[UInt8]]) {
            let wire = Wire(channelOf: .client)
            let mid = try wire.client.core.add(.video())
            try wire.connect(offering: .client)
            wire.send(0..<3, mid: mid, from: .client)
            wire.client.core.sendSenderReport(
                mid: mid, ntp: NTPTime(unixNanoseconds: 0), rtpTimestamp: 0)
            wire.run(for: .milliseconds(500))
            var samples: [[UInt8]] = []
            for range in [UInt8(0)...3, 20...63, 128...191] {
                let ofKind = wire.sent.filter { entry in
                    entry.from == .client && range.contains(entry.bytes.first ?? 255)
                }
                samples += ofKind.prefix(2).map(\.bytes) + ofKind.suffix(2).map(\.bytes)
            }
            #expect(samples.count == 12)
            return (wire, mid, samples)
        }

        private func expectUnharmed(_ wire: Wire, mid: String) {
            wire.server.media = []
            wire.send(40_000..<40_003, mid: mid, from: .client)
            wire.client.core.send("still there", on: "ion-sfu", at: wire.now)
            wire.run(for: .milliseconds(500))
            #expect(wire.areConnected)
            #expect(wire.server.numbers(mid: mid) == [40_000, 40_001, 40_002])
            #expect(wire.server.channelEvents.last == "ion-sfu: still there")
        }

        private func give(_ wire: Wire, _ bytes: [UInt8]) {
            wire.server.core.handle(bytes, from: Wire.Side.client.address, at: wire.now)
        }

        @Test func truncatedDatagramsAreDropped() throws {
            let (wire, mid, samples) = try pair()
            for sample in samples {
                for length in 0..<sample.count { give(wire, Array(sample[..<length])) }
            }
            #expect(wire.server.core.discardedDatagrams > samples.count * 10)
            expectUnharmed(wire, mid: mid)
        }

        @Test func alteredDatagramsAreDropped() throws {
            let (wire, mid, samples) = try pair()
            var random = SeededRandom(seed: 20)
            for round in 0..<3000 {
                var bytes = samples[round % samples.count]
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] =
                        UInt8.random(in: 0...255, using: &random)
                }
                give(wire, bytes)
            }
            expectUnharmed(wire, mid: mid)
        }

        @Test func noiseIsDropped() throws {
            let (wire, mid, _) = try pair()
            var random = SeededRandom(seed: 21)
            give(wire, [])
            for _ in 0..<3000 {
                let count = Int.random(in: 1...80, using: &random)
                give(wire, (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            }
            expectUnharmed(wire, mid: mid)
        }

        /// To read it takes longer than to write it.
        @Test func ofRTCPNoMoreIsReadInASecondThanABotSends() throws {
            let (wire, mid, _) = try pair()
            wire.run(for: .seconds(1))
            let before = wire.server.core.discardedDatagrams
            let dtls = try #require(wire.client.core.dtls)
            // RFC 3550 sect. 6.4.2: a report that tells of nobody.
            for _ in 0..<PeerConnection.reportDatagramsPerSecond + 100 {
                var report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 9]
                try dtls.protectRTCP(&report)
                give(wire, report)
            }
            // A report of the client itself may have come just now.
            #expect((100...101).contains(wire.server.core.discardedDatagrams - before))
            expectUnharmed(wire, mid: mid)
        }

        @Test func mediaAndHandshakesOfStrangersComeToNothingBeforeTheConnection() throws {
            let (_, _, samples) = try pair()
            let wire = Wire(seed: 99)
            _ = try wire.client.core.add(.audio())
            for sample in samples { give(wire, sample) }
            #expect(wire.server.core.discardedDatagrams == samples.count)
            try wire.negotiate(offering: .client)
            let before = wire.server.core.discardedDatagrams
            for sample in samples { give(wire, sample) }
            #expect(wire.server.core.discardedDatagrams == before + samples.count)
            try wire.runUntilConnected()
        }

        @Test func aRepeatedPacketIsTakenOnce() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.video())
            try wire.connect(offering: .client)
            wire.send([5], mid: mid, from: .client)
            wire.run(for: .milliseconds(50))
            let bytes = try #require(
                wire.sent.last { (128...191).contains($0.bytes.first ?? 0) }
            ).bytes
            let before = wire.server.core.discardedDatagrams
            for _ in 0..<3 { give(wire, bytes) }
            wire.run(for: .milliseconds(50))
            #expect(wire.server.numbers(mid: mid) == [5])
            #expect(wire.server.core.discardedDatagrams == before + 3)
        }

        @Test func wellEncryptedNonsenseDoesNoHarm() throws {
            let (wire, mid, _) = try pair()
            var random = SeededRandom(seed: 22)
            let seeds: [[RTCPPacket]] = [
                [
                    .genericNACK(
                        GenericNACK(sender: SSRC(1), media: SSRC(2), lost: [SequenceNumber(3)]))
                ],
                [.pictureLossIndication(sender: SSRC(1), media: SSRC(2))],
                [
                    .senderReport(
                        SenderReport(
                            ssrc: SSRC(7), ntp: NTPTime(rawValue: 1), rtpTimestamp: 2,
                            packetCount: 3, octetCount: 4)),
                    .sourceDescription([SourceDescription(ssrc: SSRC(7), cname: "x")]),
                ],
            ]
            for round in 0..<1500 {
                var plain = RTCPPacket.serialize(seeds[round % seeds.count])
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    plain[Int.random(in: 2..<plain.count, using: &random)] =
                        UInt8.random(in: 0...255, using: &random)
                }
                try wire.inject(control: plain, from: .client)
                let count = Int.random(in: 0...30, using: &random)
                let payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                try wire.inject(
                    packet(
                        round, ssrc: UInt32.random(in: 0...9, using: &random),
                        payloadType: UInt8.random(in: 0...127, using: &random),
                        extensions: [
                            UInt8.random(in: 1...14, using: &random): [
                                UInt8.random(in: 0...255, using: &random)
                            ]
                        ],
                        payload: payload),
                    from: .client)
            }
            wire.run(for: .milliseconds(200))
            expectUnharmed(wire, mid: mid)
        }
    }
}
