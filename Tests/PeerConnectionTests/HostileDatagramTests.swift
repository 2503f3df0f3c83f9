import MediaKernel
import RTP
import SDP
import SecureTransport
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    /// Bytes of unknown origin, and correctly encrypted nonsense from the peer itself.
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

        /// A new stream of an encoding replaces the previous one, including its repairs.
        @Test func packetsOfEverNewStreamsAreNotRemembered() throws {
            let (wire, mid, _) = try pair()
            let server = wire.server.core
            let track = try #require(server.incomingTracks.first { $0.mid == mid })
            let dtls = try #require(wire.client.core.security.dtls)
            for round in 0..<3000 as Range<UInt32> {
                for type in [track.codec.payloadType, try #require(track.rtxPayloadType)] {
                    let packet = RTPPacket(
                        marker: true, payloadType: PayloadType(type),
                        sequenceNumber: SequenceNumber(7), timestamp: 0,
                        ssrc: SSRC(1_000_000 + 2 * round + UInt32(type & 1)),
                        payload: [0, 0, 0x10, 1, 2, 3][...])
                    var bytes = packet.serialized()
                    try dtls.protectRTP(&bytes)
                    give(wire, bytes)
                }
            }
            #expect(server.receiving.inbound.count <= 2)
            #expect(server.receiving.repairs.count <= 2)
        }

        /// Reading it takes longer than writing it.
        @Test func ofRTCPNoMoreIsReadInASecondThanABotSends() throws {
            let (wire, mid, _) = try pair()
            wire.run(for: .seconds(1))
            let before = wire.server.core.discardedDatagrams
            let dtls = try #require(wire.client.core.security.dtls)
            // RFC 3550 sect. 6.4.2: a report that tells of nobody.
            for _ in 0..<Receiving.reportDatagramsPerSecond + 100 {
                var report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 9]
                try dtls.protectRTCP(&report)
                give(wire, report)
            }
            // The client may just have sent a report of its own.
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

        /// Bytes of an RTCP packet before its data about a stream: header, sender, stream.
        private static let feedbackHeaderBytes = 12

        /// Changes some bytes, or none. In every other round those that name the stream stay
        /// intact: otherwise most packets would concern unknown streams, and be ignored.
        private func spoil(
            _ plain: inout [UInt8], keepsStream: Bool, _ random: inout SeededRandom
        ) {
            let first = keepsStream ? Self.feedbackHeaderBytes : 2
            guard first < plain.count else { return }
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                plain[Int.random(in: first..<plain.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
        }

        /// A connected pair whose server has sent a video with counted packets. None of them
        /// arrived, so there has been no report yet.
        private func watching() throws -> (wire: Wire, mid: String, media: SSRC) {
            let wire = Wire(channelOf: .server)
            let mid = try wire.server.core.add(
                .video(extensions: [HeaderExtensionURI.transportSequence]))
            let (offer, _) = try wire.connect(offering: .server)
            let section = try #require(offer.section(mid: mid))
            let media = SSRC(section.rtp.sources[0].ssrc)
            wire.drops = { side, bytes in
                side == .server && !RTPPacket.isRTCP(bytes) && RTPPacket.peekSSRC(bytes) == media
            }
            wire.send(0..<50, mid: mid, from: .server)
            wire.run(for: .milliseconds(500))
            return (wire, mid, media)
        }

        /// Possible reports of a receiver about a stream with these fifty last packets.
        private func controls(of media: SSRC, from number: Int) -> [[RTCPPacket]] {
            let sender = SSRC(1)
            let lost = [3, 4, 20].map { SequenceNumber(extended: Int64(number + $0)) }
            let deltas = (0..<50).map { index -> Int16? in index % 7 == 3 ? nil : 4 }
            return [
                [.genericNACK(GenericNACK(sender: sender, media: media, lost: lost))],
                [.pictureLossIndication(sender: sender, media: media)],
                [
                    .fullIntraRequest(
                        FullIntraRequest(
                            sender: sender, entries: [.init(media: media, sequenceNumber: 1)]))
                ],
                [
                    .receiverReport(
                        ReceiverReport(
                            ssrc: sender,
                            reports: [
                                ReceptionReport(
                                    ssrc: media, fractionLost: 9, cumulativeLost: 3,
                                    extendedHighestSequence: UInt32(number + 49))
                            ]))
                ],
                [
                    .transportFeedback(
                        TransportFeedback(
                            sender: sender, media: media,
                            baseSequence: UInt16(truncatingIfNeeded: number), referenceTime: 20,
                            feedbackCount: 0, deltas: deltas))
                ],
            ]
        }

        @Test func wellEncryptedNonsenseOfAReceiverDoesNoHarm() throws {
            let (wire, mid, media) = try watching()
            var random = SeededRandom(seed: 23)
            for round in 0..<1500 {
                let seeds = controls(of: media, from: round)
                var plain = RTCPPacket.serialize(seeds[round % seeds.count])
                spoil(&plain, keepsStream: round % 2 == 0, &random)
                try wire.inject(control: plain, from: .client)
                wire.send([50 + round], mid: mid, from: .server)
                if round % 100 == 99 { wire.run(for: .milliseconds(100)) }
            }
            wire.run(for: .milliseconds(200))
            // Much of it was accepted as valid.
            #expect(wire.server.keyframeRequests.count > 100)
            #expect(wire.client.media.contains { $0.isRetransmission })
            #expect(wire.server.core.bandwidth.loss(at: wire.now) != nil)

            wire.drops = { _, _ in false }
            wire.client.media = []
            wire.send(2000..<2003, mid: mid, from: .server)
            wire.server.core.send("still there", on: "ion-sfu", at: wire.now)
            wire.run(for: .milliseconds(500))
            #expect(wire.areConnected)
            let first = wire.client.media.filter { !$0.isRetransmission }
            #expect(first.map(\.packet.sequenceNumber.rawValue) == [2000, 2001, 2002])
            #expect(wire.client.channelEvents.last == "ion-sfu: still there")
        }

        @Test func wellEncryptedNonsenseOfASenderDoesNoHarm() throws {
            let (wire, mid, _) = try pair()
            let ssrc = try #require(wire.server.core.incomingTracks.first?.ssrc)
            var random = SeededRandom(seed: 22)
            let seed: [RTCPPacket] = [
                .senderReport(
                    SenderReport(
                        ssrc: ssrc, ntp: NTPTime(rawValue: 1), rtpTimestamp: 2, packetCount: 3,
                        octetCount: 4)),
                .sourceDescription([SourceDescription(ssrc: ssrc, cname: "x")]),
            ]
            for round in 0..<1500 {
                var plain = RTCPPacket.serialize(seed)
                spoil(&plain, keepsStream: round % 2 == 0, &random)
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
