import MediaKernel
import RTP
import Testing

@testable import MediaServer

@Suite struct QualityLadderTests {
    /// Encodings as in an offer, each with a packet; with a height only if it has had a key frame.
    private func ladder(
        _ layers: [(rid: String, height: Int?)], names: LayerNames = .none
    ) -> QualityLadder {
        let encodings = layers.enumerated().map { index, layer in
            let encoding = SourceEncoding(
                rid: layer.rid, name: names.name(ofRID: layer.rid), isVideo: true)
            let packet = LayerPacket.vp8(1, picture: 1, encoding: index).packet
            var summary = PayloadSummary(payload: packet.payload, codec: .vp8)
            if let height = layer.height {
                summary.isKeyframeStart = true
                summary.sizes = [PictureSize(width: height * 2, height: height)]
            }
            _ = encoding.isNew(packet)
            _ = encoding.received(packet, summary: summary, repairs: false, picture: 1, at: .zero)
            return encoding
        }
        return QualityLadder(of: encodings, picture: 1, at: .zero)
    }

    /// The places in the offer, poorest layer first.
    private func order(_ ladder: QualityLadder) -> [Int] { ladder.rungs.map(\.choice.encoding) }

    @Test(arguments: [["a", "b", "c"], ["q", "h", "f"], ["0", "1", "2"]])
    func anOfferListsThePreferredLayerFirst(rids: [String]) {
        let ladder = ladder(rids.map { ($0, nil) })
        #expect(order(ladder) == [2, 1, 0])
        #expect(ladder.rungs.map(\.name) == [.low, .medium, .high])
    }

    @Test func thePicturesSayMoreThanTheOffer() {
        let ladder = ladder([("low", 180), ("mid", 360), ("top", 720)])
        #expect(order(ladder) == [0, 1, 2])
        #expect(ladder.rungs.map(\.name) == [.low, .medium, .high])
    }

    @Test func untilAllSizesAreKnownTheOfferDecides() {
        #expect(order(ladder([("x", nil), ("y", 360), ("z", 720)])) == [2, 1, 0])
        #expect(order(ladder([("x", 360), ("y", 360)])) == [1, 0])
    }

    @Test func aProtocolsNamesSayMoreThanBoth() {
        let names = LayerNames(["f": .high, "h": .medium, "q": .low])
        #expect(order(ladder([("q", 720), ("f", nil), ("h", 180)], names: names)) == [0, 2, 1])
        let two = ladder([("h", nil), ("q", nil)], names: names)
        #expect(order(two) == [1, 0])
        #expect(two.rungs.map(\.name) == [.low, .medium])
        // It names only one of these, which keeps its name.
        let mixed = ladder([("q", nil), ("x", nil)], names: names)
        #expect(order(mixed) == [1, 0])
        #expect(mixed.rungs.map(\.name) == [.low, .low])
    }
}
