import MediaKernel
import RTP
import SDP
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    /// Unsolicited feedback of a receiver, and its identification of streams.
    @Suite struct Feedback {
        private func feedback(_ wire: Wire) -> [(at: Instant, message: TransportFeedback)] {
            wire.controlPackets.compactMap { at, packet in
                if case .transportFeedback(let message) = packet { (at, message) } else { nil }
            }
        }

        private func reports(_ wire: Wire) -> [(at: Instant, report: ReceiverReport)] {
            wire.controlPackets.compactMap { at, packet in
                if case .receiverReport(let report) = packet { (at, report) } else { nil }
            }
        }

        @Test func transportFeedbackTellsWhatArrivedAndWhatDidNot() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(
                .video(extensions: [HeaderExtensionURI.mid, HeaderExtensionURI.transportSequence]))
            let (offer, _) = try wire.connect(offering: .client)
            let id = try #require(
                wire.client.core.headerExtensions[HeaderExtensionURI.transportSequence])
            // The packets are numbered here, so that some can be missing and the count wraps.
            wire.client.core.measuresBandwidth = false
            wire.interceptsControl = .server
            for number in 0..<20 where number != 7 && number != 8 {
                let count = TransportSequence(UInt16(truncatingIfNeeded: 65_530 + number))
                    .extensionBytes
                wire.client.core.send(
                    packet(number, extensions: [id: count]), mid: mid, at: wire.now)
            }
            wire.run(for: .milliseconds(300))
            let arrivals = feedback(wire).flatMap { $0.message.arrivals }
            #expect(arrivals.map(\.sequence) == (0..<20).map { 65_530 &+ UInt16($0) })
            #expect(arrivals.indices.filter { arrivals[$0].time == nil } == [7, 8])
            // Browsers ignore feedback on a stream that is not theirs.
            let ssrc = SSRC(offer.media[0].rtp.sources[0].ssrc)
            for entry in feedback(wire) { #expect(entry.message.media == ssrc) }
        }

        @Test func withoutTheExtensionThereIsNoTransportFeedback() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.video())
            try wire.connect(offering: .client)
            wire.interceptsControl = .server
            for number in 0..<20 {
                wire.client.core.send(
                    packet(number, extensions: [3: [0, UInt8(number)]]), mid: mid, at: wire.now)
            }
            wire.run(for: .milliseconds(500))
            #expect(feedback(wire).isEmpty)
        }

        @Test func receptionIsReportedEverySecondWhileSomethingComes() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.video())
            let (offer, _) = try wire.connect(offering: .client)
            let ssrc = SSRC(offer.media[0].rtp.sources[0].ssrc)
            wire.interceptsControl = .server
            let ntp = NTPTime(unixNanoseconds: 1_700_000_000_000_000_000)
            wire.client.core.sendSenderReport(mid: mid, ntp: ntp, rtpTimestamp: 0)
            var number = 0
            // A fifth is lost. The first second may hold only a part.
            wire.run(for: .milliseconds(4500)) { wire in
                if number % 5 != 2 { wire.send([number], mid: mid, from: .client) }
                number += 1
            }
            let talking = reports(wire)
            #expect((4...5).contains(talking.count))
            #expect(zip(talking, talking.dropFirst()).allSatisfy { $1.at - $0.at == .seconds(1) })
            for entry in talking { #expect(entry.report.reports.map(\.ssrc) == [ssrc]) }
            let block = try #require(talking.last?.report.reports.first)
            #expect((48...54).contains(block.fractionLost))
            #expect((140...180).contains(block.cumulativeLost))
            #expect(block.lastSenderReport == ntp.middle)
            #expect(
                wire.controlPackets.contains {
                    if case .sourceDescription(let list) = $0.packet {
                        list.first?.cname == "server-cname"
                    } else {
                        false
                    }
                })

            wire.run(for: .seconds(1))
            let count = reports(wire).count
            wire.run(for: .seconds(5))
            #expect(reports(wire).count == count)
        }

        @Test func manyStreamsAreReportedInSeveralPackets() throws {
            let wire = Wire()
            let mids = try (0..<40).map { try wire.client.core.add(.audio("track-\($0)")) }
            try wire.connect(offering: .client)
            wire.interceptsControl = .server
            for mid in mids { wire.send([1, 2], mid: mid, from: .client) }
            wire.run(for: .milliseconds(1100))
            let blocks = reports(wire).flatMap(\.report.reports)
            #expect(reports(wire).map(\.report.reports.count) == [31, 9])
            #expect(Set(blocks.map(\.ssrc)).count == 40)
        }

        // MARK: Streams that were not announced

        /// A connection whose offer names no SSRC, as with some senders.
        private func unannounced(
            _ tracks: [OutgoingTrack]
        ) throws -> (wire: Wire, offer: SessionDescription) {
            let wire = Wire()
            for track in tracks { _ = try wire.client.core.add(track) }
            let offer = try wire.client.core.createOffer(at: wire.now)
            var bare = offer
            for index in bare.media.indices {
                bare.media[index].rtp.sources = []
                bare.media[index].rtp.sourceGroups = []
            }
            let answer = try wire.server.core.answer(bare, at: wire.now)
            #expect(wire.server.core.incomingTracks.allSatisfy { $0.ssrc == nil })
            try wire.client.core.accept(answer: answer, at: wire.now)
            try wire.runUntilConnected()
            return (wire, offer)
        }

        @Test func aStreamIsFoundByItsPayloadType() throws {
            let (wire, _) = try unannounced([.audio(), .video()])
            wire.send([1], mid: "0", from: .client)
            wire.send([2], mid: "1", from: .client)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: "0") == [1])
            #expect(wire.server.numbers(mid: "1") == [2])
            wire.server.core.requestKeyframe(mid: "1")
            wire.run(for: .milliseconds(100))
            #expect(wire.client.keyframeRequests == ["1"])
        }

        @Test func streamsOfOneFormatAreToldApartByTheirMid() throws {
            let extensions = [HeaderExtensionURI.mid]
            let (wire, _) = try unannounced([
                .video("one", extensions: extensions), .video("two", extensions: extensions),
            ])
            let id = try #require(wire.client.core.headerExtensions[HeaderExtensionURI.mid])
            // Without the mid it could be either; afterwards the SSRC is known.
            wire.send([1], mid: "1", from: .client)
            wire.client.core.send(
                packet(2, extensions: [id: Array("1".utf8)]), mid: "1", at: wire.now)
            wire.send([3], mid: "1", from: .client)
            wire.client.core.send(
                packet(4, extensions: [id: Array("7".utf8)]), mid: "0", at: wire.now)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: "1") == [2, 3])
            #expect(wire.server.numbers(mid: "0") == [])
        }

        @Test func repairsOfALearnedStreamAreLearnedToo() throws {
            let (wire, _) = try unannounced([.video()])
            wire.send(1..<5, mid: "0", from: .client)
            wire.run(for: .milliseconds(100))
            wire.server.media = []
            wire.server.core.requestRetransmission(of: [SequenceNumber(3)], mid: "0")
            wire.run(for: .milliseconds(100))
            wire.server.core.requestRetransmission(of: [SequenceNumber(4)], mid: "0")
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: "0") == [3, 4])
            #expect(wire.server.media.allSatisfy { $0.isRetransmission })
        }

        @Test func aSenderThatChangesItsSSRCIsFollowed() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.video())
            let (offer, _) = try wire.connect(offering: .client)
            let type = offer.media[0].rtp.codecs[0].payloadType
            wire.send([1], mid: mid, from: .client)
            wire.run(for: .milliseconds(50))
            try wire.inject(packet(900, ssrc: 0x5555, payloadType: type), from: .client)
            wire.interceptsControl = .server
            wire.run(for: .milliseconds(50))
            #expect(wire.server.numbers(mid: mid) == [1, 900])
            wire.server.core.requestKeyframe(mid: mid)
            wire.run(for: .milliseconds(50))
            let media = wire.controlPackets.compactMap { entry -> SSRC? in
                if case .pictureLossIndication(_, let media) = entry.packet { media } else { nil }
            }
            #expect(media == [SSRC(0x5555)])
        }

        @Test func aFloodOfStreamsFillsNoMemory() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.video())
            let (offer, _) = try wire.connect(offering: .client)
            let codecs = offer.media[0].rtp.codecs
            wire.send([76], mid: mid, from: .client)
            wire.run(for: .milliseconds(50))
            for number in 0..<2000 {
                // Streams first, then repairs of the last of them.
                let type = codecs[number < 500 ? 0 : 1].payloadType
                try wire.inject(
                    packet(
                        number, ssrc: UInt32(10_000 + number), payloadType: type,
                        payload: [0, 1, 2]),
                    from: .client)
            }
            wire.run(for: .milliseconds(100))
            #expect(wire.server.core.receiving.repairs.count <= 1)
            wire.send([77], mid: mid, from: .client)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: mid).last == 77)
        }
    }
}
