import MediaKernel
import RTP
import Testing

@Suite struct H264SetMemoryTests {
    private static let sps = SimulatedStream.sequenceParameterSet
    private static let pps = SimulatedStream.pictureParameterSet
    private static let statedSPS = "Z0LAHtkAoC/5cBEAAAMAAQAAAwA8DxYuSA=="
    private static let statedPPS = "aMuDyyA="
    private static let stated = "\(statedSPS),\(statedPPS)"

    @Test func whatIsStatedIsWhatABarePictureIsSentWith() throws {
        let sets = try #require(H264SetMemory(stated: Self.stated))
        #expect(sets.size == PictureSize(width: 640, height: 360))
        #expect(sets.payload == H264Tests.aggregate([Self.sps, Self.pps]))
        var depacketizer = H264Depacketizer()
        let payloads = [try #require(sets.payload), H264Tests.idr]
        let frame = try depacketizer.assemble(payloads.map { $0[...] })
        #expect(frame.isKeyframe && frame.size == sets.size)
    }

    /// Other encoders write the sets in another order, without padding, and with other kinds of
    /// units among them.
    @Test func theOrderAndOtherUnitsDoNotMatter() throws {
        let sets = try #require(H264SetMemory(stated: Self.stated))
        let bare = Self.stated.filter { $0 != "=" }
        #expect(H264SetMemory(stated: bare) == sets)
        #expect(H264SetMemory(stated: "\(Self.statedPPS),bUIADQ==,\(Self.statedSPS)") == sets)
    }

    @Test func everyTruncationIsReadOrRefusedButNeverTraps() {
        let text = Self.stated
        for end in text.indices {
            if let sets = H264SetMemory(stated: String(text[..<end])) { #expect(sets.isComplete) }
            _ = H264SetMemory(stated: String(text[end...]))
        }
        #expect(H264SetMemory(stated: Self.statedSPS) == nil)
        #expect(H264SetMemory(stated: Self.statedPPS) == nil)
        for text in ["", ",", ",,,,", "Zw==,aA==", "Z,a", "\(Self.stated);x", "==,=="] {
            #expect(H264SetMemory(stated: text) == nil, "\(text)")
        }
    }

    @Test func whatIsTooLongIsPassedOver() throws {
        let many = Array(repeating: Self.stated, count: 200).joined(separator: ",")
        #expect(H264SetMemory(stated: many) == nil)
        // Longer than a packet, so it cannot be sent.
        let long = String(repeating: "A", count: 1360)
        let two = "\(Self.stated),Z0LAHg\(long.dropLast(2)),\(Self.statedPPS)"
        #expect(H264SetMemory(stated: two)?.payload?.count ?? 0 <= 1100)
        var sets = try #require(H264SetMemory(stated: Self.stated))
        let before = sets
        sets.read([0x67] + [UInt8](repeating: 1, count: 2000))
        #expect(sets == before)
    }

    @Test func whatComesInPacketsTakesThePlaceOfTheOneOfItsID() throws {
        var sets = try #require(H264SetMemory(stated: Self.stated))
        let (_, sps) = (Self.sps, H264Tests.parameterSets[0].0)
        sets.read(H264Tests.aggregate([sps, Self.pps])[...])
        #expect(sets.size == H264Tests.parameterSets[0].1)
        var fromPackets = H264SetMemory()
        #expect(fromPackets.payload == nil)
        for payload in [Self.sps, H264Tests.slice, Self.pps, H264Tests.idr, []] {
            fromPackets.read(payload[...])
        }
        #expect(fromPackets == H264SetMemory(stated: Self.stated))
    }

    @Test func aSummarySaysWhichSetsAPacketHas() {
        func summary(_ payload: [UInt8]) -> [Bool] {
            let summary = PayloadSummary(payload: payload[...], codec: .h264)
            return [summary.isKeyframeStart, summary.hasSequenceSet, summary.hasPictureSet]
        }
        #expect(summary(Self.sps) == [true, true, false])
        #expect(summary(Self.pps) == [false, false, true])
        #expect(summary(H264Tests.aggregate([Self.sps, Self.pps])) == [true, true, true])
        #expect(summary(H264Tests.idr) == [true, false, false])
        #expect(summary([0x7C, 0x85, 0x88]) == [true, false, false])
        #expect(summary(H264Tests.slice) == [false, false, false])
    }
}
