import MediaKernel
import RTP
import Testing

extension VideoReceiver {
    /// All outputs that are ready now.
    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = poll() { outputs.append(output) }
        return outputs
    }
}

extension [VideoReceiver.Output] {
    var frames: [EncodedFrame] {
        compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
    }
    var nacks: [SequenceNumber] {
        flatMap { output -> [SequenceNumber] in
            if case .nack(let numbers) = output { numbers } else { [] }
        }
    }
    var keyframeRequests: Int { filter { $0 == .keyframeNeeded }.count }
}

@Suite struct VideoReceiverTests {
    static let codecs: [MediaCodec] = [.vp8, .vp9, .h264, .av1]

    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test(arguments: codecs) func framesLeaveAsTheyWereSent(_ codec: MediaCodec) {
        var stream = SimulatedStream(codec, sequence: 65_500, timestamp: 0xFFFF_F000)
        var receiver = VideoReceiver(codec: codec)
        var sent: [SimulatedStream.Frame] = []
        var received: [EncodedFrame] = []
        for index in 0..<60 {
            let (frame, packets) = stream.next(isKeyframe: index % 20 == 0)
            sent.append(frame)
            for packet in packets {
                receiver.handle(packet, at: at(index * 33))
                received += receiver.drain().frames
            }
        }
        #expect(received.map(\.data) == sent.map(\.data))
        #expect(received.map(\.isKeyframe) == sent.map(\.isKeyframe))
        let ticks = received.map(\.timestamp)
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1 - $0 == 3000 })
        #expect(received.first?.width == 640 && received.first?.height == 360)
        #expect(received.allSatisfy { !$0.followsLoss })
        #expect(receiver.nextDeadline == nil)
    }

    @Test func nothingLeavesBeforeAKeyFrameWhichIsAskedForAtGrowingPauses() {
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8)
        #expect(receiver.nextDeadline == nil)
        var asked: [Int] = []
        for millisecond in stride(from: 0, to: 8000, by: 10) {
            if millisecond % 30 == 0 {
                for packet in stream.next(isKeyframe: false).packets {
                    receiver.handle(packet, at: at(millisecond))
                }
            } else {
                receiver.handleTimeout(at: at(millisecond))
            }
            let outputs = receiver.drain()
            #expect(outputs.frames.isEmpty && outputs.nacks.isEmpty)
            if outputs.keyframeRequests > 0 { asked.append(millisecond) }
        }
        #expect(asked == [0, 200, 600, 1400, 3000, 5000, 7000])
        let (frame, packets) = stream.next(isKeyframe: true)
        for packet in packets { receiver.handle(packet, at: at(8000)) }
        #expect(receiver.drain().frames.map(\.data) == [frame.data])
        #expect(receiver.nextDeadline == nil)
    }

    @Test func aLostPacketIsAskedForAndItsFrameWaited() {
        var stream = SimulatedStream(.vp8)
        var configuration = VideoReceiver.Configuration()
        configuration.repair.assumedRoundTrip = .milliseconds(40)
        var receiver = VideoReceiver(codec: .vp8, configuration: configuration)
        let first = stream.next(isKeyframe: true, bytes: 600)
        let second = stream.next(isKeyframe: false, bytes: 600)
        let third = stream.next(isKeyframe: false, bytes: 600)
        for packet in first.packets { receiver.handle(packet, at: at(0)) }
        #expect(receiver.drain().frames.count == 1)
        let lost = second.packets[1]
        for packet in second.packets + third.packets where packet != lost {
            receiver.handle(packet, at: at(30))
        }
        #expect(receiver.drain().isEmpty)
        #expect(receiver.nextDeadline == at(40))
        receiver.handleTimeout(at: at(40))
        #expect(receiver.drain() == [.nack([lost.sequenceNumber])])
        #expect(receiver.nextDeadline == at(90))
        receiver.handle(lost, at: at(80))
        let frames = receiver.drain().frames
        #expect(frames.map(\.data) == [second.frame.data, third.frame.data])
        #expect(frames.first?.lastArrival == at(80))
        #expect(receiver.nextDeadline == nil)
    }

    @Test func whatCannotBeRepairedIsDroppedToTheNextKeyFrame() {
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8)
        for packet in stream.next(isKeyframe: true).packets { receiver.handle(packet, at: at(0)) }
        _ = receiver.drain()
        var requests = 0
        var frames: [EncodedFrame] = []
        for index in 1..<30 {
            let isKeyframe = index == 20
            let packets = stream.next(isKeyframe: isKeyframe, bytes: 300).packets
            for packet in index == 3 ? packets.dropFirst() : packets[...] {
                receiver.handle(packet, at: at(index * 33))
                let outputs = receiver.drain()
                frames += outputs.frames
                requests += outputs.keyframeRequests
                if index < 15 { #expect(outputs.frames.count <= 1) }
            }
        }
        // Frames 1 and 2, then 20 ... 29, from the key frame on.
        #expect(frames.count == 12)
        #expect(
            frames.map(\.followsLoss) == [false, false, true] + [Bool](repeating: false, count: 9))
        #expect(frames[2].isKeyframe)
        #expect((1...2).contains(requests))
        #expect(receiver.counters.holesGivenUp == 1)
    }

    @Test func paddingFillsNumbersAndIsNoFrame() {
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8)
        var sent: [[UInt8]] = []
        var received: [[UInt8]] = []
        for index in 0..<20 {
            var packets = [stream.padding()]
            let (frame, media) = stream.next(isKeyframe: index == 0)
            sent.append(frame.data)
            packets += media
            packets.append(stream.padding())
            for packet in packets {
                receiver.handle(packet, at: at(index * 33))
                received += receiver.drain().frames.map(\.data)
            }
        }
        #expect(received == sent)
    }

    @Test func anyAmountOfPaddingHoldsNothingUp() {
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8)
        for packet in stream.next(isKeyframe: true).packets { receiver.handle(packet, at: at(0)) }
        _ = receiver.drain()
        for _ in 0..<3000 {
            receiver.handle(stream.padding(), at: at(1))
            #expect(receiver.poll() == nil)
        }
        for packet in stream.next(isKeyframe: false).packets { receiver.handle(packet, at: at(2)) }
        #expect(receiver.drain().frames.count == 1)
    }

    @Test func onlyALittleIsKeptWhileAKeyFrameIsAwaited() {
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8)
        let first = stream.next(isKeyframe: true, bytes: 50).packets[0]
        for _ in 0..<400 {
            let packet = stream.next(isKeyframe: false, bytes: 50).packets[0]
            receiver.handle(packet, at: at(1))
            _ = receiver.drain()
        }
        receiver.handle(first, at: at(2))
        #expect(receiver.drain().frames.isEmpty)
        #expect(receiver.counters.late == 1)
    }

    /// Any number of packets was lost before it.
    @Test(arguments: [1000, 2040, 2900]) func theKeyFrameAfterALongLossIsKept(lost: Int) {
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8)
        receiver.handle(stream.next(isKeyframe: false, bytes: 50).packets[0], at: at(0))
        #expect(receiver.drain() == [.keyframeNeeded])
        stream.sequence = stream.sequence.advanced(by: lost)
        let (frame, packets) = stream.next(isKeyframe: true, bytes: 600)
        for packet in packets { receiver.handle(packet, at: at(33)) }
        #expect(receiver.drain().frames.map(\.data) == [frame.data])
    }

    @Test func aFrameWithoutMarkerEndsWhereTheTimestampChanges() {
        var stream = SimulatedStream(.h264)
        var receiver = VideoReceiver(codec: .h264)
        let first = stream.next(isKeyframe: true)
        let second = stream.next(isKeyframe: false)
        for var packet in first.packets + second.packets {
            packet.marker = false
            receiver.handle(packet, at: at(0))
        }
        #expect(receiver.drain().frames.map(\.data) == [first.frame.data])
    }

    @Test func aNewSSRCIsANewStream() {
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8)
        for packet in stream.next(isKeyframe: true).packets { receiver.handle(packet, at: at(0)) }
        #expect(receiver.drain().frames.count == 1)
        stream.ssrc = SSRC(0x2222)
        stream.sequence = SequenceNumber(40_000)
        for packet in stream.next(isKeyframe: false).packets { receiver.handle(packet, at: at(9)) }
        #expect(receiver.drain() == [.keyframeNeeded])
        for packet in stream.next(isKeyframe: true).packets { receiver.handle(packet, at: at(9)) }
        #expect(receiver.drain().frames.map(\.followsLoss) == [true])
        #expect(receiver.counters.restarts == 1)
    }

    @Test func aFarJumpIsANewStreamOnlyWhenConfirmed() {
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8)
        for packet in stream.next(isKeyframe: true).packets { receiver.handle(packet, at: at(0)) }
        var stray = stream.next(isKeyframe: false, bytes: 50).packets[0]
        stray.sequenceNumber = stray.sequenceNumber.advanced(by: 20_000)
        stream.sequence = stream.sequence.advanced(by: -1)
        receiver.handle(stray, at: at(10))
        for packet in stream.next(isKeyframe: false).packets {
            receiver.handle(packet, at: at(20))
        }
        #expect(receiver.drain().frames.count == 2)
        #expect(receiver.counters.restarts == 0)
        stream.sequence = stream.sequence.advanced(by: -10_000)
        let (frame, packets) = stream.next(isKeyframe: true, bytes: 900)
        for packet in packets { receiver.handle(packet, at: at(30)) }
        #expect(receiver.drain().frames.map(\.data) == [frame.data])
        #expect(receiver.counters.restarts == 1)
    }

    @Test func aDecoderThatFailedGetsNothingBeforeAKeyFrame() {
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8)
        for packet in stream.next(isKeyframe: true).packets { receiver.handle(packet, at: at(0)) }
        _ = receiver.drain()
        receiver.resynchronize(at: at(10))
        #expect(receiver.drain() == [.keyframeNeeded])
        for packet in stream.next(isKeyframe: false).packets { receiver.handle(packet, at: at(20)) }
        #expect(receiver.drain().isEmpty)
        for packet in stream.next(isKeyframe: true).packets { receiver.handle(packet, at: at(30)) }
        #expect(receiver.drain().frames.map(\.followsLoss) == [true])
    }

    @Test func parameterSetsWithoutAKeyFrameAreNoStart() {
        var stream = SimulatedStream(.h264)
        var receiver = VideoReceiver(codec: .h264)
        var packet = stream.next(isKeyframe: false, bytes: 50).packets[0]
        let slice = Array(packet.payload)
        let sps = SimulatedStream.sequenceParameterSet
        packet.payload = [0x78, 0, UInt8(sps.count)] + sps + [0, UInt8(slice.count)] + slice
        receiver.handle(packet, at: at(0))
        #expect(receiver.drain().frames.isEmpty)
        let (frame, packets) = stream.next(isKeyframe: true)
        for packet in packets { receiver.handle(packet, at: at(33)) }
        #expect(receiver.drain().frames.map(\.data) == [frame.data])
    }

    @Test func rotationHoldsUntilItIsSentAgain() {
        var configuration = VideoReceiver.Configuration()
        configuration.videoOrientationID = 4
        var stream = SimulatedStream(.vp8)
        var receiver = VideoReceiver(codec: .vp8, configuration: configuration)
        let turns: [VideoRotation?] = [.clockwise90, nil, .clockwise180, nil, VideoRotation.none]
        for (index, turn) in turns.enumerated() {
            var packets = stream.next(isKeyframe: index == 0).packets
            if let turn {
                let bytes = VideoOrientation(rotation: turn).extensionBytes
                packets[packets.count - 1].extensions.set(4, bytes)
            }
            for packet in packets { receiver.handle(packet, at: at(index)) }
        }
        #expect(
            receiver.drain().frames.map(\.rotation)
                == [.clockwise90, .clockwise90, .clockwise180, .clockwise180, .none])
    }
}
