import MediaKernel
import RTP
import Testing

@testable import MediaServer

/// Random switches, losses and reorderings of a three-layer VP8 simulcast: the output must be one
/// stream, without unexplained gaps.
@Suite struct LayerSwitchingTests {
    private struct Sent {
        var packet: RTPPacket
        var picture: UInt16
        var isLate: Bool
    }

    private struct Outcome {
        var sent: [Sent] = []
        var losses = 0
        var beginnings = 0
    }

    /// - Parameter loss: the share of packets that never arrive.
    private func run(seed: UInt64, loss: Double, reorders: Bool, temporal: Bool) -> Outcome {
        var random = SeededRandom(seed: seed)
        var forwarder = LayerForwarder(
            clockRate: 90_000, isVideo: true, wanted: LayerChoice(encoding: 0))
        var outcome = Outcome()
        var numbers = (0..<3).map { _ in Int.random(in: 0...65_535, using: &random) }
        var pictures = (0..<3).map { _ in Int.random(in: 0...32_767, using: &random) }
        var zero = (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
        let origins = (0..<3).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
        var isAsked = [true, true, true]
        for frame in 0..<600 {
            let now = Instant.zero + .milliseconds(frame * 33)
            if Int.random(in: 0..<20, using: &random) == 0 {
                let encoding = Int.random(in: 0..<3, using: &random)
                let top = temporal ? Int.random(in: 0...2, using: &random) : 2
                forwarder.wanted = LayerChoice(encoding: encoding, temporal: top)
            }
            if forwarder.awaitsKeyframe, let wanted = forwarder.wanted {
                isAsked[wanted.encoding] = true
            }
            for encoding in 0..<3 {
                let isKey = isAsked[encoding]
                isAsked[encoding] = false
                let layer: UInt8 = isKey || !temporal ? 0 : [0, 2, 1, 2][frame % 4]
                if layer == 0 { zero[encoding] &+= 1 }
                pictures[encoding] += 1
                var packets: [LayerPacket] = []
                for part in 0..<(encoding + 1) {
                    packets.append(
                        .vp8(
                            numbers[encoding], picture: pictures[encoding],
                            zeroIndex: zero[encoding], layer: layer, isSync: layer == 1,
                            isKey: isKey && part == 0, starts: part == 0, encoding: encoding,
                            timestamp: origins[encoding] &+ UInt32(frame * 2970)))
                    numbers[encoding] += 1
                }
                if reorders, Int.random(in: 0..<4, using: &random) == 0 {
                    packets.shuffle(using: &random)
                }
                for packet in packets {
                    if Double.random(in: 0..<1, using: &random) < loss {
                        outcome.losses += 1
                        continue
                    }
                    let sent = forwarder.forwarded(
                        packet.packet, encoding: encoding,
                        summary: PayloadSummary(payload: packet.packet.payload, codec: .vp8),
                        report: nil, at: now)
                    guard let sent, !sent.payload.isEmpty else { continue }
                    let fields = PayloadSummary(payload: sent.payload, codec: .vp8).vp8
                    outcome.sent.append(
                        Sent(
                            packet: sent, picture: fields?.pictureID ?? 0,
                            isLate: outcome.sent.last.map {
                                !sent.sequenceNumber.isNewer(than: $0.packet.sequenceNumber)
                            } ?? false))
                }
            }
        }
        outcome.beginnings = forwarder.beginnings
        return outcome
    }

    /// A subscriber that waits for it gets all of it, even if its first packet arrives after the
    /// others.
    @Test func aLargeKeyFrameWhoseBeginningComesLastIsWhole() {
        let encoding = SourceEncoding(rid: nil, isVideo: true)
        encoding.isAwaited = true
        var forwarder = LayerForwarder(
            clockRate: 90_000, isVideo: true, wanted: LayerChoice(encoding: 0))
        var sent: [UInt16] = []
        func forward(_ packet: RTPPacket, _ summary: PayloadSummary) -> Bool {
            let rewritten = forwarder.forwarded(
                packet, encoding: 0, summary: summary, report: nil, at: .zero)
            if let rewritten { sent.append(rewritten.sequenceNumber.rawValue) }
            return rewritten != nil
        }
        let before = Array(1000..<1700)
        for number in before + Array(1701..<1850) + [1700] {
            let packet = LayerPacket.vp8(
                number, picture: number < 1700 ? 1 : 2, isKey: number == 1700,
                starts: number == 1700
            ).packet
            let summary = PayloadSummary(payload: packet.payload, codec: .vp8)
            _ = encoding.received(packet, summary: summary, repairs: false, picture: 0, at: .zero)
            guard forward(packet, summary) else { continue }
            for (packet, summary) in encoding.recent(after: packet.sequenceNumber) {
                _ = forward(packet, summary)
            }
        }
        #expect(sent == Array(1700..<1850))
    }

    @Test(arguments: 0..<20)
    func withoutLossNumbersAndPicturesGoOnWithoutAHole(seed: Int) {
        let outcome = run(seed: UInt64(seed), loss: 0, reorders: false, temporal: seed % 2 == 1)
        #expect(outcome.beginnings > 5)
        for (a, b) in zip(outcome.sent, outcome.sent.dropFirst()) {
            #expect(b.packet.sequenceNumber == a.packet.sequenceNumber.advanced(by: 1))
            let step = (b.picture &- a.picture) & 0x7FFF
            let isSame = a.packet.timestamp == b.packet.timestamp
            #expect(step == (isSame ? 0 : 1))
            let ticks = Int32(bitPattern: b.packet.timestamp &- a.packet.timestamp)
            #expect(ticks >= 0 && ticks < 90_000)
        }
    }

    @Test(arguments: 0..<20)
    func withLossAndReorderingNoPlaceIsTakenTwiceAndTimestampsFollowTheNumbers(seed: Int) {
        let outcome = run(
            seed: UInt64(100 + seed), loss: 0.1, reorders: true, temporal: seed % 2 == 1)
        #expect(outcome.beginnings > 5)
        var unwrapper = SequenceUnwrapper()
        var timestamps = TimestampUnwrapper()
        let numbered = outcome.sent.map {
            (unwrapper.unwrap($0.packet.sequenceNumber), timestamps.unwrap($0.packet.timestamp))
        }
        #expect(Set(numbered.map(\.0)).count == numbered.count)
        let ordered = numbered.sorted { $0.0 < $1.0 }
        for (a, b) in zip(ordered, ordered.dropFirst()) { #expect(a.1 <= b.1) }
        // Every gap is a lost packet, or one without the beginning of a key frame before it.
        let span = ordered.isEmpty ? 0 : Int(ordered[ordered.count - 1].0 - ordered[0].0) + 1
        #expect(span - ordered.count <= outcome.losses)
        let ends = outcome.sent.filter(\.isLate).count
        #expect(ends > 0)
    }
}
