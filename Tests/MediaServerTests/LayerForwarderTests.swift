import MediaKernel
import RTP
import Testing

@testable import MediaServer

/// Continuity of one subscriber's stream, step by step.
@Suite struct LayerForwarderTests {
    /// One subscriber's stream, as a reference, so that expectations can send.
    private final class Lane {
        var forwarder: LayerForwarder

        init(isVideo: Bool = true, wanted: LayerChoice? = LayerChoice(encoding: 0)) {
            forwarder = LayerForwarder(
                clockRate: isVideo ? 90_000 : 48_000, isVideo: isVideo, wanted: wanted)
        }

        var wanted: LayerChoice? {
            get { forwarder.wanted }
            set { forwarder.wanted = newValue }
        }
        var awaitsKeyframe: Bool { forwarder.awaitsKeyframe }

        func send(
            _ packet: LayerPacket, after milliseconds: Int = 0,
            report: LayerForwarder.Report? = nil, isDispensable: Bool = false,
            sets: H264SetMemory = .init()
        ) -> RTPPacket? {
            var summary = PayloadSummary(payload: packet.packet.payload, codec: packet.codec)
            summary.isDispensable = isDispensable
            return forwarder.forwarded(
                packet.packet, encoding: packet.encoding, summary: summary, report: report,
                parameterSets: sets, at: .zero + .milliseconds(milliseconds))
        }

        func timestamp(of report: LayerForwarder.Report, encoding: Int) -> UInt32? {
            forwarder.timestamp(of: report, encoding: encoding)
        }
    }

    @Test func soundPassesUnchangedAndReorderedPacketsKeepTheirPlaces() {
        let lane = Lane(isVideo: false)
        for number in [65_534, 65_535, 65_537, 65_536, 65_537, 65_530] {
            let packet = LayerPacket.sound(number)
            #expect(
                lane.send(packet)?.sequenceNumber
                    == SequenceNumber(extended: Int64(number)))
        }
    }

    @Test func anotherSourceOfSoundContinuesAndItsEarlierPacketsTakeNoPlaceTwice() {
        let lane = Lane(isVideo: false)
        let packets = [
            LayerPacket.sound(100), .sound(103), .sound(101), .sound(7000, ssrc: 2),
            .sound(6999, ssrc: 2), .sound(7001, ssrc: 2),
        ]
        let numbers = packets.map { lane.send($0)?.sequenceNumber.rawValue }
        #expect(numbers == [100, 103, 101, 104, nil, 105])
    }

    /// The output for each packet: number, timestamp and first byte.
    private func sent(_ packets: [LayerPacket], over lane: Lane, sets: H264SetMemory) -> [[Int]] {
        var sent: [RTPPacket] = []
        for packet in packets {
            guard let forwarded = lane.send(packet, sets: sets) else { continue }
            sent += lane.forwarder.prologue
            sent.append(forwarded)
        }
        return sent.map { packet in
            let picture = Int(packet.timestamp) / 3000
            return [Int(packet.sequenceNumber.rawValue), picture, Int(packet.payload.first ?? 0)]
        }
    }

    private static let idr: [UInt8] = [0x65, 0x88, 0x84, 0x21]
    private static let slice: [UInt8] = [0x41, 0x9A, 0x11, 0x22]

    @Test func keyFramesThatComeWithoutParameterSetsGetThoseThatAreKnown() throws {
        let sets = try #require(H264SetMemory(stated: LayerPacket.statedSets))
        let lane = Lane()
        let packets: [LayerPacket] = [
            .h264(10, picture: 1, Self.slice), .h264(11, picture: 2, Self.idr),
            .h264(12, picture: 3, Self.slice), .h264(13, picture: 4, Self.idr),
            .h264(14, picture: 5, Self.slice),
        ]
        #expect(
            sent(packets, over: lane, sets: sets) == [
                [11, 2, 0x78], [12, 2, 0x65], [13, 3, 0x41], [14, 4, 0x78], [15, 4, 0x65],
                [16, 5, 0x41],
            ])
        #expect(lane.forwarder.prologue.isEmpty)
        let again = lane.send(.h264(15, picture: 6, Self.idr), sets: sets)
        let prologue = try #require(lane.forwarder.prologue.first)
        #expect(Array(prologue.payload) == sets.payload && !prologue.marker)
        #expect(again?.marker == true)
    }

    /// Packets lost before a key frame may be its sets, and their place is kept.
    @Test func setsThatCameOrMayComeAreNotSentTwice() throws {
        let sets = try #require(H264SetMemory(stated: LayerPacket.statedSets))
        let lane = Lane()
        let packets: [LayerPacket] = [
            .h264(10, picture: 1, LayerPacket.sequenceSet),
            .h264(11, picture: 1, LayerPacket.pictureSet), .h264(12, picture: 1, Self.idr),
            .h264(15, picture: 3, Self.idr), .h264(13, picture: 2, Self.slice),
            .h264(14, picture: 3, LayerPacket.sequenceSet), .h264(16, picture: 4, Self.slice),
        ]
        #expect(
            sent(packets, over: lane, sets: sets) == [
                [10, 1, 0x67], [11, 1, 0x68], [12, 1, 0x65], [15, 3, 0x65], [13, 2, 0x41],
                [14, 3, 0x67], [16, 4, 0x41],
            ])
        // No sets are inserted for a publisher that states none.
        #expect(
            sent([.h264(17, picture: 5, Self.idr)], over: Lane(), sets: .init()) == [
                [17, 5, 0x65]
            ])
    }

    @Test func placesThatWerePutInHoldAcrossLateAndLeftOutPackets() throws {
        var numbers = NumberCompactor(first: 10, as: 10)
        #expect(numbers.insert(before: 10) == 10)
        #expect(numbers.place(10) == 11)
        #expect(numbers.leaveOut(11) == nil)
        #expect(numbers.place(13) == 13)
        #expect(numbers.insert(before: 15) == nil, "14 may come, and has a place")
        #expect(numbers.insert(before: 14) == 14)
        #expect(numbers.place(14) == 15)
        #expect(numbers.leaveOut(15) == nil)
        #expect(numbers.place(16) == 16)
        #expect([10, 12, 13, 14].map { numbers.place($0) } == [11, 12, 13, 15])
        for key in 0..<Int64(NumberCompactor.holesMaximum) {
            #expect(numbers.insert(before: 17 + key) == 17 + 2 * key)
            #expect(numbers.place(17 + key) == 18 + 2 * key)
        }
        #expect(numbers.place(10) == nil, "older than what is remembered")
    }

    @Test func soundThatNobodyNeedsLeavesNoHole() {
        let lane = Lane(isVideo: false)
        let packets = [100, 101, 102, 103, 105, 104, 106].map {
            lane.send(.sound($0), isDispensable: [101, 102, 104].contains($0))
        }
        #expect(packets.map { $0?.sequenceNumber.rawValue } == [100, nil, nil, 101, 103, 102, 104])
        #expect(packets.compactMap { $0?.timestamp } == [100, 103, 105, 104, 106].map { $0 * 960 })
        // Its place was kept, since it came late: it is filled with an empty packet.
        #expect(packets[5]?.payload.isEmpty == true)
    }

    /// A restarted encoder uses any id; its stream continues. Ids have 15 bits.
    @Test(arguments: [3, 60, 20_000, 32_700])
    func picturesOfAnEncoderThatBeginsAnewFollowThoseBefore(first: Int) throws {
        let lane = Lane()
        for index in 0..<100 {
            #expect(
                lane.send(.vp8(index, picture: 50 + index, zeroIndex: 9, isKey: index == 0)) != nil)
        }
        let key = try #require(lane.send(.vp8(100, picture: first, zeroIndex: 77, isKey: true)))
        let fields = try #require(PayloadSummary(payload: key.payload, codec: .vp8).vp8)
        #expect(fields.pictureID == 150 && fields.temporalLayerZeroIndex == 10)
        let next = try #require(lane.send(.vp8(101, picture: first + 1, zeroIndex: 78)))
        let after = try #require(PayloadSummary(payload: next.payload, codec: .vp8).vp8)
        #expect(after.pictureID == 151 && after.temporalLayerZeroIndex == 11)
        #expect(next.sequenceNumber.rawValue == 101)
    }

    /// A restarted publisher uses another SSRC, and the beginning of its key frame is lost.
    @Test func aVideoThatGoesOnInAnotherStreamWaitsForAKeyFrameOfIt() {
        let lane = Lane()
        #expect(lane.send(.vp8(1, picture: 1, isKey: true)) != nil)
        #expect(lane.send(.vp8(700, picture: 9, ssrc: 7)) == nil)
        #expect(lane.awaitsKeyframe)
        // Late packets of the previous stream are still forwarded.
        #expect(lane.send(.vp8(2, picture: 2)) != nil)
        #expect(lane.awaitsKeyframe)
        #expect(lane.send(.vp8(710, picture: 20, isKey: true, ssrc: 7)) != nil)
        #expect(!lane.awaitsKeyframe)
        #expect(lane.send(.vp8(711, picture: 21, ssrc: 7)) != nil)
    }

    @Test func nothingIsSentBeforeAKeyFrameOfTheWantedLayer() {
        let lane = Lane(wanted: LayerChoice(encoding: 1))
        #expect(lane.send(.vp8(1, picture: 1, isKey: true)) == nil)
        #expect(lane.send(.vp8(1, picture: 1, encoding: 1)) == nil)
        #expect(lane.awaitsKeyframe)
        #expect(lane.send(.vp8(2, picture: 2, isKey: true, encoding: 1)) != nil)
        #expect(!lane.awaitsKeyframe)
        #expect(lane.forwarder.current?.encoding == 1)
    }

    @Test func aLayerStaysUntilTheNextOneHasAKeyFrame() throws {
        let lane = Lane()
        _ = lane.send(.vp8(10, picture: 5, isKey: true))
        lane.wanted = LayerChoice(encoding: 1)
        #expect(lane.send(.vp8(11, picture: 6))?.sequenceNumber.rawValue == 11)
        #expect(lane.send(.vp8(900, picture: 300, encoding: 1)) == nil)
        let key = try #require(
            lane.send(
                .vp8(901, picture: 301, zeroIndex: 40, isKey: true, encoding: 1),
            ))
        #expect(key.sequenceNumber.rawValue == 12)
        let fields = try #require(PayloadSummary(payload: key.payload, codec: .vp8).vp8)
        #expect(fields.pictureID == 7)
        #expect(fields.temporalLayerZeroIndex == 1)
        // The previous layer is over.
        #expect(lane.send(.vp8(12, picture: 7)) == nil)
    }

    @Test func whatIsNotWantedStopsAtOnceAndComesBackAtAKeyFrame() {
        let lane = Lane()
        _ = lane.send(.vp8(10, picture: 5, isKey: true))
        lane.wanted = nil
        #expect(lane.send(.vp8(11, picture: 6)) == nil)
        #expect(!lane.awaitsKeyframe)
        lane.wanted = LayerChoice(encoding: 0)
        #expect(lane.awaitsKeyframe)
        #expect(lane.send(.vp8(12, picture: 7)) == nil)
        let back = lane.send(.vp8(13, picture: 8, isKey: true))
        #expect(back?.sequenceNumber.rawValue == 11)
    }

    @Test func upperTemporalLayersAreLeftOutWithoutAHole() {
        let lane = Lane(wanted: LayerChoice(encoding: 0, temporal: 0))
        let layers: [UInt8] = [0, 2, 1, 2, 0, 2, 1, 2, 0]
        let sent = layers.enumerated().compactMap { index, layer -> (Int, Int)? in
            let packet = lane.send(
                .vp8(100 + index, picture: index, layer: layer, isKey: index == 0),
            )
            guard let packet else { return nil }
            let fields = PayloadSummary(payload: packet.payload, codec: .vp8).vp8
            return (Int(packet.sequenceNumber.rawValue), Int(fields?.pictureID ?? 0))
        }
        #expect(sent.map(\.0) == [100, 101, 102])
        #expect(sent.map(\.1) == [0, 1, 2])
    }

    @Test func temporalLayersComeBackWhereTheyDependOnNothingThatWasLeftOut() {
        let lane = Lane(wanted: LayerChoice(encoding: 0, temporal: 0))
        _ = lane.send(.vp8(0, picture: 0, isKey: true))
        lane.wanted = LayerChoice(encoding: 0)
        #expect(lane.send(.vp8(1, picture: 1, layer: 1)) == nil)
        #expect(lane.send(.vp8(2, picture: 2)) != nil)
        #expect(lane.send(.vp8(3, picture: 3, layer: 1, isSync: true)) != nil)
        #expect(lane.send(.vp8(4, picture: 4, layer: 1)) != nil)
    }

    @Test func aPlaceKeptForAPacketThatIsNotWantedIsFilledWithPadding() throws {
        let lane = Lane(wanted: LayerChoice(encoding: 0, temporal: 0))
        _ = lane.send(.vp8(0, picture: 0, isKey: true))
        // Number 1 is missing; nothing shows that it belongs to an upper layer.
        #expect(lane.send(.vp8(2, picture: 2))?.sequenceNumber.rawValue == 2)
        let late = try #require(lane.send(.vp8(1, picture: 1, layer: 1)))
        #expect(late.sequenceNumber.rawValue == 1)
        #expect(late.payload.isEmpty && late.paddingLength == 1)
    }

    @Test func timestampsGoOnByThePublishersClock() throws {
        let lane = Lane()
        let epoch: Int64 = 1_700_000_000_000_000_000
        let low = LayerForwarder.Report(ntp: NTPTime(unixNanoseconds: epoch), timestamp: 5000)
        let high = LayerForwarder.Report(
            ntp: NTPTime(unixNanoseconds: epoch + 500_000_000), timestamp: 1_000_000)
        _ = lane.send(
            .vp8(1, picture: 1, isKey: true, timestamp: 14_000), report: low)
        lane.wanted = LayerChoice(encoding: 1)
        // 100 ms after the first packet by the publisher's clock, regardless of its arrival.
        let packet = LayerPacket.vp8(
            1, picture: 1, isKey: true, encoding: 1,
            timestamp: 1_000_000 - 45_000 + 9000 + 9000)
        let key = try #require(lane.send(packet, after: 170, report: high))
        #expect(abs(Int(key.timestamp) - 23_000) <= 1)
        #expect(lane.timestamp(of: low, encoding: 0) == nil)
        let mapped = try #require(lane.timestamp(of: high, encoding: 1))
        #expect(abs(Int(mapped) - (5000 + 45_000)) <= 1)
    }

    @Test func withoutReportsTimestampsGoOnByTheTimeOfArrival() {
        let lane = Lane()
        _ = lane.send(.vp8(1, picture: 1, isKey: true, timestamp: 7000))
        lane.wanted = LayerChoice(encoding: 1)
        let key = lane.send(
            .vp8(1, picture: 1, isKey: true, encoding: 1, timestamp: 42),
            after: 100)
        #expect(key?.timestamp == 16_000)
    }

    @Test func timestampsRiseEvenWhenTheNewLayerIsBehind() {
        let lane = Lane()
        _ = lane.send(.vp8(1, picture: 1, isKey: true, timestamp: .max))
        lane.wanted = LayerChoice(encoding: 1)
        let key = lane.send(
            .vp8(1, picture: 1, isKey: true, encoding: 1, timestamp: 42))
        #expect(key?.timestamp == 0)
    }

    @Test func spatialLayersOfVP9AreLeftOutAndThePictureEndsBelow() throws {
        let lane = Lane(wanted: LayerChoice(encoding: 0, spatial: 1))
        var sent: [RTPPacket] = []
        for picture in 0..<3 {
            for layer in 0..<3 {
                let packet = LayerPacket.vp9(
                    picture * 3 + layer, picture: picture, spatial: UInt8(layer),
                    isKey: picture == 0)
                if let packet = lane.send(packet) { sent.append(packet) }
            }
        }
        #expect(sent.map { Int($0.sequenceNumber.rawValue) } == Array(0..<6))
        #expect(sent.map(\.marker) == [false, true, false, true, false, true])
    }

    @Test func spatialLayersComeBackAtAKeyPictureOrWhereOneBegins() {
        let lane = Lane(wanted: LayerChoice(encoding: 0, spatial: 0))
        _ = lane.send(.vp9(0, picture: 0, spatial: 0, isKey: true))
        lane.wanted = LayerChoice(encoding: 0, spatial: 2)
        #expect(lane.awaitsKeyframe)
        #expect(lane.send(.vp9(1, picture: 0, spatial: 1, isKey: true)) != nil)
        #expect(lane.send(.vp9(2, picture: 1, spatial: 0)) != nil)
        #expect(lane.send(.vp9(3, picture: 1, spatial: 2)) == nil)
        #expect(lane.send(.vp9(4, picture: 2, spatial: 0, isKey: true)) != nil)
        #expect(lane.send(.vp9(5, picture: 2, spatial: 2, isKey: true)) != nil)
        #expect(!lane.awaitsKeyframe)
    }
}
