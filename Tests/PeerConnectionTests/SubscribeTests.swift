import MediaKernel
import RTP
import SDP
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    /// The server offers, the client receives.
    @Suite struct Subscribe {
        @Test func theOfferNamesEverythingThatWillCome() throws {
            let wire = Wire(channelOf: .server)
            _ = try wire.server.core.add(.audio("a1", stream: "ben"))
            _ = try wire.server.core.add(.video("v1", stream: "ben"))
            let (offer, answer) = try wire.negotiate(offering: .server)
            let audio = offer.media[1]
            let video = offer.media[2]
            #expect(audio.rtp.sources.count == 1 && audio.rtp.sourceGroups.isEmpty)
            #expect(audio.rtp.codecs.map(\.name) == ["opus"])
            #expect(video.rtp.sources.count == 2)
            #expect(
                video.rtp.sourceGroups == [
                    SourceGroup(semantics: "FID", ssrcs: video.rtp.sources.map(\.ssrc))
                ])
            #expect(video.rtp.codecs.map(\.name) == ["VP8", "rtx"])
            #expect(video.rtp.codecs[1].associatedPayloadType == video.rtp.codecs[0].payloadType)
            #expect(video.rtp.msids == [MediaStreamIdentifier(stream: "ben", track: "v1")])
            #expect(video.rtp.sources.allSatisfy { $0.cname == "server-cname" })
            #expect(offer.isICELite)
            #expect(answer.media.map(\.dtls.setup) == [.active, .active, .active])
            #expect(answer.media.map(\.direction).dropFirst() == [.receiveOnly, .receiveOnly])
        }

        @Test func whoReceivesNoVideoIsSentNone() throws {
            let wire = Wire(receivesVideo: false)
            let audio = try wire.server.core.add(.audio())
            let video = try wire.server.core.add(.video())
            let (_, answer) = try wire.connect(offering: .server)
            #expect(answer.media.map(\.direction) == [.receiveOnly, .inactive])
            #expect(wire.client.core.incomingTracks.filter(\.isSending).map(\.mid) == [audio])
            #expect(!wire.server.core.isWanted(mid: video))
            // Another one later, for instance when a camera is turned on.
            let screen = try wire.server.core.add(.video("screen"))
            try wire.negotiate(offering: .server)
            for mid in [audio, video, screen] { wire.send(0..<3, mid: mid, from: .server) }
            wire.run(for: .milliseconds(100))
            #expect(wire.client.media.map(\.mid) == [audio, audio, audio])
        }

        @Test func mediaAndItsClockArrive() throws {
            let wire = Wire()
            let mid = try wire.server.core.add(.video())
            try wire.connect(offering: .server)
            let ntp = NTPTime(unixNanoseconds: 1_700_000_000_500_000_000)
            wire.send(100..<110, mid: mid, from: .server)
            wire.server.core.sendSenderReport(mid: mid, ntp: ntp, rtpTimestamp: 4_294_967_290)
            wire.run(for: .milliseconds(100))
            #expect(wire.client.numbers(mid: mid) == Array(100..<110))
            let report = try #require(wire.client.reports.first)
            #expect(wire.client.reports.count == 1)
            #expect(report.mid == mid && report.ntp == ntp && report.rtpTimestamp == 4_294_967_290)
        }

        @Test func aSenderReportCountsWhatWasSent() throws {
            let wire = Wire()
            let mid = try wire.server.core.add(.video())
            let (offer, _) = try wire.connect(offering: .server)
            wire.interceptsControl = .server
            wire.send(0..<7, mid: mid, from: .server)
            let ntp = NTPTime(unixNanoseconds: 0)
            wire.server.core.sendSenderReport(mid: mid, ntp: ntp, rtpTimestamp: 9)
            wire.run(for: .milliseconds(50))
            let ssrc = SSRC(try #require(offer.media[0].rtp.sources.first).ssrc)
            #expect(
                wire.controlPackets.map(\.packet) == [
                    .senderReport(
                        SenderReport(
                            ssrc: ssrc, ntp: ntp, rtpTimestamp: 9, packetCount: 7,
                            octetCount: 21)),
                    .sourceDescription([SourceDescription(ssrc: ssrc, cname: "server-cname")]),
                ])
        }

        @Test func aKeyFrameCanBeAskedForInBothWays() throws {
            let wire = Wire()
            let mid = try wire.server.core.add(.video())
            let (offer, _) = try wire.connect(offering: .server)
            wire.client.core.requestKeyframe(mid: mid)
            wire.run(for: .milliseconds(50))
            #expect(wire.server.keyframeRequests == [mid])

            let media = SSRC(offer.media[0].rtp.sources[0].ssrc)
            let stranger = SSRC(media.rawValue &+ 1)
            let request = FullIntraRequest(
                sender: SSRC(1),
                entries: [
                    .init(media: stranger, sequenceNumber: 0),
                    .init(media: media, sequenceNumber: 0),
                ])
            try wire.inject(
                control: RTCPPacket.serialize([.fullIntraRequest(request)]), from: .client)
            wire.run(for: .milliseconds(50))
            #expect(wire.server.keyframeRequests == [mid, mid])
        }

        /// A datagram names up to thousands, and each costs a search.
        @Test func ofAStreamOneKeyFrameIsAskedForInADatagram() throws {
            let wire = Wire()
            let mid = try wire.server.core.add(.video())
            let (offer, _) = try wire.connect(offering: .server)
            let media = SSRC(offer.media[0].rtp.sources[0].ssrc)
            let entries = (0..<100).map {
                FullIntraRequest.Entry(media: media, sequenceNumber: UInt8($0))
            }
            try wire.inject(
                control: RTCPPacket.serialize([
                    .pictureLossIndication(sender: SSRC(1), media: media),
                    .fullIntraRequest(FullIntraRequest(sender: SSRC(1), entries: entries)),
                ]), from: .client)
            wire.run(for: .milliseconds(50))
            #expect(wire.server.keyframeRequests == [mid])
        }

        /// Two bytes of it may claim thousands of packets, repeatedly.
        @Test func feedbackTellsOfNoMorePacketsThanAWayCarries() throws {
            let wire = Wire()
            let mid = try wire.server.core.add(
                .video(extensions: [HeaderExtensionURI.transportSequence]))
            let (offer, _) = try wire.connect(offering: .server)
            let media = SSRC(offer.media[0].rtp.sources[0].ssrc)
            let core = wire.server.core
            let count = TransportFeedback.statusesMaximum
            wire.send(0..<count, mid: mid, from: .server)
            func tell(_ deltas: [Int16?], at now: Instant) {
                let feedback = TransportFeedback(
                    sender: SSRC(1), media: media, baseSequence: 0, referenceTime: 0,
                    feedbackCount: 0, deltas: deltas)
                core.handle(RTCPPacket.transportFeedback(feedback), at: now)
            }
            tell([0], at: wire.now)
            for _ in 0..<10 { tell(Array(repeating: nil, count: count), at: wire.now) }
            let later = wire.now + .seconds(2)
            tell(Array(repeating: 0, count: count), at: later)
            // All have arrived in the end; at most four times as many count as lost.
            let loss = try #require(core.loss(at: later))
            #expect((0.7...0.8).contains(loss))
        }

        @Test func lostPacketsComeAgainByRetransmission() throws {
            let wire = Wire()
            let mid = try wire.server.core.add(.video())
            let (offer, _) = try wire.connect(offering: .server)
            let primary = SSRC(offer.media[0].rtp.sources[0].ssrc)
            let lost: Set<UInt16> = [65_535, 0, 3]
            wire.drops = { _, bytes in
                guard RTPPacket.peekSSRC(bytes) == primary, !RTPPacket.isRTCP(bytes) else {
                    return false
                }
                return RTPPacket.peekSequenceNumber(bytes).map { lost.contains($0.rawValue) }
                    ?? false
            }
            wire.send(65_530..<65_541, mid: mid, from: .server)
            wire.run(for: .milliseconds(50))
            #expect(wire.client.media.count == 8)

            wire.client.core.requestRetransmission(
                of: [SequenceNumber(65_535), SequenceNumber(0), SequenceNumber(3)], mid: mid)
            wire.run(for: .milliseconds(100))
            let repaired = wire.client.media.filter(\.isRetransmission)
            #expect(repaired.map(\.packet.sequenceNumber.rawValue) == [65_535, 0, 3])
            #expect(repaired.allSatisfy { $0.mid == mid && $0.packet.ssrc == primary })
            let first = try #require(repaired.first).packet
            #expect(first.timestamp == 65_535 * 3000)
            #expect(Array(first.payload) == [0xFF, 0xAB, 0xCD])
            #expect(first.payloadType.rawValue == offer.media[0].rtp.codecs[0].payloadType)
        }

        @Test func whatIsUnknownIsNotRepairedAndNothingTwiceWithinARoundTrip() throws {
            let wire = Wire()
            let mid = try wire.server.core.add(.video())
            try wire.connect(offering: .server)
            wire.send(10..<20, mid: mid, from: .server)
            wire.run(for: .milliseconds(50))
            wire.client.media = []
            for _ in 0..<3 {
                wire.client.core.requestRetransmission(
                    of: [SequenceNumber(12), SequenceNumber(9), SequenceNumber(500)], mid: mid)
            }
            wire.run(for: .milliseconds(100))
            #expect(wire.client.numbers(mid: mid) == [12])
        }

        @Test func soundIsNotRetransmitted() throws {
            let wire = Wire()
            let mid = try wire.server.core.add(.audio())
            try wire.connect(offering: .server)
            wire.send(0..<5, mid: mid, from: .server)
            wire.run(for: .milliseconds(50))
            wire.client.media = []
            wire.client.core.requestRetransmission(of: [SequenceNumber(3)], mid: mid)
            wire.run(for: .milliseconds(100))
            #expect(wire.client.media.isEmpty)
        }

        @Test(arguments: [UInt64(1), 2, 3])
        func aLossyReorderingPathDeliversEverythingOnce(seed: UInt64) throws {
            let wire = Wire(seed: seed)
            let mid = try wire.server.core.add(.video())
            try wire.connect(offering: .server)
            wire.loss = 0.1
            wire.jitter = .milliseconds(12)
            var nacks = NACKGenerator()
            var seen = 0
            var next = 0
            wire.run(for: .seconds(3)) { wire in
                // 100 packets per second for 2.5 s, then a tail without losses shows the end.
                if next < 500 {
                    wire.send([next], mid: mid, from: .server)
                    next += 1
                    if next == 500 { wire.loss = 0 }
                }
                for incoming in wire.client.media[seen...] {
                    nacks.received(incoming.packet.sequenceNumber, at: wire.now)
                }
                seen = wire.client.media.count
                wire.client.core.requestRetransmission(of: nacks.poll(at: wire.now), mid: mid)
            }
            let numbers = wire.client.numbers(mid: mid)
            #expect(Set(numbers).count >= 499)
            #expect(wire.client.media.count { $0.isRetransmission } > 20)
            let firsts = wire.client.media.filter { !$0.isRetransmission }
            #expect(Set(firsts.map(\.packet.sequenceNumber)).count == firsts.count)
            #expect(wire.client.core.state == .connected)
        }
    }
}
