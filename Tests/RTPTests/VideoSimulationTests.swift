import MediaKernel
import RTP
import Testing

@Suite struct VideoSimulationTests {
    static let codecs = VideoReceiverTests.codecs

    @Test(arguments: codecs) func repairBringsEveryFrameThroughModerateLoss(_ codec: MediaCodec) {
        var simulation = VideoSimulation(codec, seed: 11)
        simulation.path.lossPermille = 50
        simulation.path.jitter = .milliseconds(15)
        simulation.path.duplicatePermille = 20
        simulation.run(frames: 200)
        // No frame can be shown until the first key frame is complete; after that, all losses are
        // repaired, except at the end of the last frame: no later packet shows the gap.
        let first = simulation.received.first?.data
        let sent = simulation.sent.drop { $0.data != first }
        let received = simulation.received.map(\.data)
        #expect(received.starts(with: sent.prefix(received.count).map(\.data)))
        #expect(received.count >= sent.count - 1)
        #expect(sent.count > 180)
        #expect(simulation.nacks > 10)
    }

    @Test(arguments: codecs) func whatLeavesIsAlwaysDecodable(_ codec: MediaCodec) {
        for seed in 0..<2 {
            var simulation = VideoSimulation(codec, seed: UInt64(seed))
            simulation.path.lossPermille = 300
            simulation.path.jitter = .milliseconds(60)
            simulation.path.duplicatePermille = 50
            simulation.run(frames: 150)
            expectDecodable(simulation)
            #expect(simulation.received.count > 10)
            #expect(simulation.received.filter(\.isKeyframe).count > 0)
        }
    }

    @Test func withoutRepairTheStreamGoesOnAtKeyFrames() {
        var simulation = VideoSimulation(.vp8, seed: 21)
        simulation.cache = RetransmissionCache(packetsMaximum: 1)
        simulation.path.lossPermille = 20
        simulation.run(frames: 300)
        expectDecodable(simulation)
        #expect(simulation.requests > 1)
        #expect(simulation.received.filter(\.followsLoss).count > 1)
        #expect(simulation.received.count > 60)
    }

    /// In order, no frame twice, and no gap between two key frames.
    private func expectDecodable(_ simulation: VideoSimulation) {
        let indices = Dictionary(
            uniqueKeysWithValues: simulation.sent.enumerated().map { ($1.timestamp, $0) })
        var previous: Int?
        for frame in simulation.received {
            guard let index = indices[UInt32(truncatingIfNeeded: frame.timestamp)] else {
                Issue.record("a frame that was never sent")
                return
            }
            #expect(frame.data == simulation.sent[index].data)
            let isNext = previous.map { index == $0 + 1 } ?? false
            #expect(isNext || frame.isKeyframe)
            #expect(index > previous ?? -1)
            if let previous, index != previous + 1 { #expect(frame.followsLoss) }
            previous = index
        }
        let ticks = simulation.received.map(\.timestamp)
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func overflowGivesUpTheHoleThatHoldsEverythingUp() {
        var configuration = VideoReceiver.Configuration()
        configuration.packetsMaximum = 512
        configuration.repair.abandonAfter = .seconds(60)
        configuration.repair.triesMaximum = 1_000_000
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8, configuration: configuration)
        var frames: [EncodedFrame] = []
        for index in 0..<400 {
            let packets = stream.next(isKeyframe: index % 100 == 0, bytes: 400).packets
            for packet in index == 10 ? packets.dropFirst() : packets[...] {
                receiver.handle(packet, at: .zero)
                frames += receiver.drain().frames
            }
        }
        #expect(frames.count >= 310)
        #expect(frames[10].followsLoss && frames[10].isKeyframe)
        #expect(receiver.counters.holesGivenUp >= 1)
    }

    @Test func aFrameBeyondTheMaximumIsDropped() {
        var configuration = VideoReceiver.Configuration()
        configuration.frameBytesMaximum = 2000
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8, configuration: configuration)
        for (isKeyframe, bytes) in [(true, 1000), (false, 3000), (false, 100), (true, 100)] {
            for packet in stream.next(isKeyframe: isKeyframe, bytes: bytes).packets {
                receiver.handle(packet, at: .zero)
            }
        }
        let outputs = receiver.drain()
        #expect(outputs.frames.map(\.isKeyframe) == [true, true])
        #expect(receiver.counters.framesBroken == 1)
    }

    @Test func keyFrameStartsThatComeInTheWrongOrderAreStillFound() {
        var stream = SimulatedStream(.h264, mtu: 100)
        var receiver = VideoReceiver(codec: .h264)
        let (frame, packets) = stream.next(isKeyframe: true, bytes: 400)
        #expect(packets.count > 3)
        for packet in packets.reversed() { receiver.handle(packet, at: .zero) }
        #expect(receiver.drain().frames.map(\.data) == [frame.data])
    }

    @Test(arguments: codecs) func mutatedPacketsNeverTrapTheReceiver(_ codec: MediaCodec) {
        var random = SeededRandom(seed: 31)
        var stream = SimulatedStream(codec, mtu: 110)
        var receiver = VideoReceiver(codec: codec)
        for index in 0..<300 {
            let packets = stream.next(isKeyframe: index % 5 == 0, bytes: 300).packets
            for packet in packets {
                var bytes = packet.serialized()
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    // Mostly the payload's first bytes, which have the formats' structure.
                    let place =
                        Int.random(in: 0..<8, using: &random) == 0
                        ? Int.random(in: 0..<12, using: &random)
                        : 12 + Int.random(in: 0..<min(24, bytes.count - 12), using: &random)
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
                bytes.removeLast(
                    Int.random(in: 0..<4, using: &random) == 0
                        ? Int.random(in: 0..<(bytes.count - 11), using: &random) : 0)
                guard let mutated = try? RTPPacket(parsing: bytes) else { continue }
                receiver.handle(mutated, at: .zero + .milliseconds(index * 33))
                _ = receiver.drain()
            }
        }
    }

    @Test(arguments: MediaCodec.allCases) func anyBytesMayBeThrownAtADepacketizer(
        _ codec: MediaCodec
    ) {
        var random = SeededRandom(seed: 32)
        var depacketizer = codec.makeDepacketizer()
        for _ in 0..<3000 {
            let payloads = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }[...]
            }
            _ = try? depacketizer.assemble(payloads)
            for payload in payloads {
                _ = depacketizer.beginsFrame(payload)
                _ = KeyframeDetection.isKeyframeStart(payload: payload, codec: codec)
            }
        }
    }
}
