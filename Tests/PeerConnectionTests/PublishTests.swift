import MediaKernel
import RTP
import SDP
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    /// The client offers, the server receives.
    @Suite struct Publish {
        @Test func whatIsSentArrivesDecryptedUnderItsSection() throws {
            let wire = Wire(channelOf: .client)
            let audio = try wire.client.core.add(.audio())
            let video = try wire.client.core.add(.video())
            #expect([audio, video] == ["1", "2"])
            let (offer, answer) = try wire.connect(offering: .client)
            for number in 0..<5 {
                wire.client.core.send(
                    packet(number, payload: [1, UInt8(number)]), mid: audio, at: wire.now)
                wire.client.core.send(
                    packet(65_533 + number, marker: number == 4, payload: [2, UInt8(number)]),
                    mid: video, at: wire.now)
            }
            wire.run(for: .milliseconds(100))

            #expect(wire.server.numbers(mid: audio) == [0, 1, 2, 3, 4])
            #expect(wire.server.numbers(mid: video) == [65_533, 65_534, 65_535, 0, 1])
            let last = try #require(wire.server.media.last { $0.mid == video })
            #expect(Array(last.packet.payload) == [2, 4])
            #expect(last.packet.marker && !last.isRetransmission)
            #expect(last.packet.timestamp == UInt32(65_537 * 3000))
            let section = try #require(offer.section(mid: video))
            #expect(last.packet.ssrc.rawValue == section.rtp.sources.first?.ssrc)
            let agreed = try #require(answer.section(mid: video)?.rtp.codecs.first)
            #expect(last.packet.payloadType.rawValue == agreed.payloadType)
            #expect(wire.server.core.discardedDatagrams == 0)
        }

        @Test func theSetsThatADescriptionStatesAreKnown() throws {
            let wire = Wire(channelOf: .client)
            _ = try wire.client.core.add(.video(codecs: ["H264"]))
            var offer = try wire.client.core.createOffer(at: wire.now)
            offer.media[1].rtp.codecs[0].parameters["sprop-parameter-sets"] =
                "Z0LAHtkAoC/5cBEAAAMAAQAAAwA8DxYuSA==,aMuDyyA="
            let text = offer.rendered()
            _ = try wire.server.core.answer(try .parse(text), at: wire.now)
            let track = try #require(wire.server.core.incomingTracks.first)
            #expect(track.parameterSets?.size == PictureSize(width: 640, height: 360))
            #expect(
                track.codec.parameters["sprop-parameter-sets"] == nil, "others see nothing of it")
        }

        /// A number under which another packet was sent, and one too far behind for audio.
        @Test func whatCannotBeEncryptedIsCounted() throws {
            let wire = Wire()
            let audio = try wire.client.core.add(.audio())
            let video = try wire.client.core.add(.video())
            try wire.connect(offering: .client)
            wire.send([3000, 3000, 2489, 2488], mid: audio, from: .client)
            wire.send([3000, 2489, 2488, 953], mid: video, from: .client)
            wire.run(for: .milliseconds(50))
            #expect(wire.server.numbers(mid: audio) == [3000, 2489])
            #expect(wire.server.numbers(mid: video) == [3000, 2489, 2488, 953])
            #expect(wire.client.core.takeUnsentPackets() == 2)
            #expect(wire.client.core.takeUnsentPackets() == 0)
        }

        @Test func theServerAnswersToReceiveOnlyAndLetsTheClientBegin() throws {
            let wire = Wire(channelOf: .client)
            _ = try wire.client.core.add(.audio())
            _ = try wire.client.core.add(.video(codecs: ["H265", "VP9", "VP8"]))
            let (offer, answer) = try wire.negotiate(offering: .client)
            #expect(offer.media.map(\.dtls.setup) == [.actpass, .actpass, .actpass])
            #expect(offer.media.map(\.direction).dropFirst() == [.sendOnly, .sendOnly])
            #expect(answer.isICELite && !offer.isICELite)
            #expect(answer.bundledMIDs == ["0", "1", "2"])
            #expect(answer.media.map(\.dtls.setup) == [.passive, .passive, .passive])
            #expect(answer.media.map(\.direction).dropFirst() == [.receiveOnly, .receiveOnly])
            // The offerer's first choice among the known codecs, with its repairs, and nothing
            // else.
            #expect(answer.media[2].rtp.codecs.map(\.name) == ["VP9", "rtx"])
            #expect(answer.media[0].sctp.port == 5000)
            #expect(
                answer.media[0].ice.hasEndOfCandidates && answer.media[0].ice.candidates.count == 1)
            #expect(answer.media.dropFirst().flatMap(\.ice.candidates).isEmpty)
        }

        /// As in Safari's offers: high profile first. Firefox would refuse forwarded video then.
        @Test(arguments: [
            (["640c1f", "42e01f"], "42e01f"), (["42001f", "42e01f", "4d001f"], "42e01f"),
            (["640c1f"], "640c1f"),
        ])
        func ofH264sProfilesTheOneIsTakenThatAllBrowsersHave(
            offered: [String], taken: String
        ) throws {
            let wire = Wire(channelOf: .client)
            var camera = OutgoingTrack.video()
            camera.codecs = offered.map { profile in
                CodecDescription(
                    payloadType: 0, name: "H264", clockRate: 90_000,
                    parameters: [
                        FormatParameter("packetization-mode", "1"),
                        FormatParameter("profile-level-id", profile),
                    ])
            }
            let mid = try wire.client.core.add(camera)
            let (_, answer) = try wire.negotiate(offering: .client)
            let codec = answer.section(mid: mid)?.rtp.codecs.first
            #expect(codec?.parameters["profile-level-id"] == taken)
        }

        @Test func theServerKnowsTheTracksBeforeTheirMedia() throws {
            let wire = Wire(channelOf: .client)
            _ = try wire.client.core.add(.audio("voice", stream: "ann"))
            _ = try wire.client.core.add(.video("camera", stream: "ann"))
            let (offer, _) = try wire.negotiate(offering: .client)
            let tracks = wire.server.core.incomingTracks
            #expect(tracks.map(\.trackID) == ["voice", "camera"])
            #expect(tracks.map(\.streamID) == ["ann", "ann"])
            #expect(tracks.map(\.codec.name) == ["opus", "VP8"])
            #expect(tracks.allSatisfy { $0.isSending })
            let announced = offer.media[1...].map { SSRC($0.rtp.sources[0].ssrc) }
            #expect(tracks.map(\.ssrc) == announced)
            #expect(tracks[0].rtxPayloadType == nil && tracks[1].rtxPayloadType != nil)
        }

        /// A track without any layer cannot be forwarded.
        @Test func aGroupOfNoLayersSaysNothing() throws {
            let wire = Wire(channelOf: .client)
            let mid = try wire.client.core.add(.audio())
            var offer = try wire.client.core.createOffer(at: wire.now)
            let index = try #require(offer.media.firstIndex { $0.mid == mid })
            offer.media[index].rtp.sourceGroups = [SourceGroup(semantics: "SIM", ssrcs: [])]
            _ = try wire.server.core.answer(try Wire.carried(offer), at: wire.now)
            let ssrc = SSRC(offer.media[index].rtp.sources[0].ssrc)
            let tracks = wire.server.core.incomingTracks
            #expect(tracks.map(\.encodings) == [[IncomingEncoding(ssrc: ssrc)]])
        }

        @Test func bothEndsTellEachStateOnce() throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            try wire.connect(offering: .client)
            wire.run(for: .seconds(1))
            #expect(wire.client.states == [.connecting, .connected])
            #expect(wire.server.states == [.connecting, .connected])
            #expect(wire.server.core.selectedAddress == Wire.Side.client.address)
        }

        @Test func nothingOfATrackLeavesBeforeItIsWantedAndConnected() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.audio())
            let offer = try wire.client.core.createOffer(at: wire.now)
            wire.send(0..<3, mid: mid, from: .client)
            #expect(!wire.client.core.isWanted(mid: mid))
            let answer = try wire.server.core.answer(offer, at: wire.now)
            try wire.client.core.accept(answer: answer, at: wire.now)
            #expect(wire.client.core.isWanted(mid: mid))
            wire.send(3..<6, mid: mid, from: .client)
            try wire.runUntilConnected()
            wire.send(6..<9, mid: mid, from: .client)
            wire.send(9..<12, mid: "7", from: .client)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: mid) == [6, 7, 8])
        }

        @Test func aTrackThatIsNotWantedIsNotSent() throws {
            let wire = Wire()
            let audio = try wire.client.core.add(.audio())
            let video = try wire.client.core.add(.video())
            try wire.negotiate(offering: .client) { $0.media[1].direction = .inactive }
            try wire.runUntilConnected()
            #expect(wire.client.core.isWanted(mid: audio))
            #expect(!wire.client.core.isWanted(mid: video))
            wire.send(0..<3, mid: video, from: .client)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.media.isEmpty)
        }

        @Test func aClosedConnectionTellsTheOtherSideAndFallsSilent() throws {
            let wire = Wire(channelOf: .client)
            let mid = try wire.client.core.add(.audio())
            try wire.connect(offering: .client)
            wire.client.core.close(at: wire.now)
            wire.client.core.close(at: wire.now)
            wire.run(for: .milliseconds(100))
            #expect(wire.client.states.suffix(1) == [.closed])
            #expect(wire.server.states.suffix(1) == [.closed])

            let sentCount = wire.sent.count
            wire.send(0..<3, mid: mid, from: .client)
            wire.client.core.requestKeyframe(mid: mid)
            wire.client.core.send("late", on: "ion-sfu", at: wire.now)
            for (_, bytes) in wire.sent.filter({ $0.from == .server }) {
                wire.client.core.handle(bytes, from: Wire.Side.server.address, at: wire.now)
            }
            wire.run(for: .seconds(20))
            #expect(wire.sent.count == sentCount)
            #expect(wire.client.states.suffix(1) == [.closed])
            #expect(wire.client.core.nextDeadline == nil)
        }

        @Test func aConnectionThatHearsNothingMoreSaysSo() throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            try wire.connect(offering: .client)
            wire.drops = { _, _ in true }
            wire.run(for: .seconds(20))
            #expect(wire.client.core.state == .disconnected)
            #expect(wire.server.core.state == .disconnected)
            wire.drops = { _, _ in false }
            try wire.runUntilConnected()
        }
    }
}
