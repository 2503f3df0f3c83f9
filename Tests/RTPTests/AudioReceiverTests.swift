import MediaKernel
import RTP
import Testing

extension AudioReceiver {
    /// All outputs that are ready now.
    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = poll() { outputs.append(output) }
        return outputs
    }
}

extension [AudioReceiver.Output] {
    var packets: [EncodedFrame] {
        compactMap { if case .packet(let frame) = $0 { frame } else { nil } }
    }
}

@Suite struct AudioReceiverTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func packet(_ sequence: Int, timestamp: Int? = nil, ssrc: UInt32 = 1) -> RTPPacket {
        RTPPacket(
            payloadType: PayloadType(111),
            sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: sequence)),
            timestamp: UInt32(truncatingIfNeeded: timestamp ?? sequence * 960),
            ssrc: SSRC(ssrc), payload: [UInt8(truncatingIfNeeded: sequence)])
    }

    @Test func packetsLeaveInOrderAtOnceOverBothWraps() {
        var receiver = AudioReceiver()
        let base = 0xFFFF_F000
        for index in 0..<100 {
            receiver.handle(
                packet(65_500 + index, timestamp: base + index * 960), at: at(index * 20))
            let packets = receiver.drain().packets
            #expect(packets.map(\.timestamp) == [Int64(base + index * 960)])
            #expect(packets.first?.data == [UInt8(truncatingIfNeeded: 65_500 + index)])
        }
        #expect(receiver.nextDeadline == nil)
    }

    @Test func aLatePacketIsWaitedForAndWidensTheWait() {
        var receiver = AudioReceiver()
        receiver.handle(packet(1), at: at(0))
        _ = receiver.drain()
        receiver.handle(packet(3), at: at(40))
        #expect(receiver.drain().isEmpty)
        #expect(receiver.nextDeadline == at(60))
        receiver.handle(packet(2), at: at(55))
        #expect(receiver.drain().packets.map(\.timestamp) == [1920, 2880])
        #expect(receiver.wait > .milliseconds(29) && receiver.wait <= .milliseconds(30))
        #expect(receiver.counters.lost == 0)
    }

    @Test func whatDoesNotComeInTimeIsLostWithItsTimestamp() {
        var receiver = AudioReceiver()
        for sequence in 1...3 { receiver.handle(packet(sequence), at: at(sequence * 20)) }
        _ = receiver.drain()
        receiver.handle(packet(7), at: at(140))
        #expect(receiver.drain().isEmpty)
        receiver.handleTimeout(at: at(159))
        #expect(receiver.drain().isEmpty)
        receiver.handleTimeout(at: at(160))
        let outputs = receiver.drain()
        #expect(outputs.first == .lost(count: 3, at: 4 * 960))
        #expect(outputs.packets.map(\.timestamp) == [7 * 960])
        #expect(outputs.packets.map(\.followsLoss) == [true])
        #expect(receiver.counters.lost == 3)
    }

    @Test func whatComesAfterItsLossIsDroppedAndWidensTheWait() {
        var receiver = AudioReceiver()
        receiver.handle(packet(1), at: at(0))
        receiver.handle(packet(3), at: at(20))
        receiver.handleTimeout(at: at(40))
        _ = receiver.drain()
        receiver.handle(packet(2), at: at(50))
        #expect(receiver.drain().isEmpty)
        #expect(receiver.counters.late == 1)
        #expect(receiver.wait >= .milliseconds(29))
        receiver.handle(packet(3), at: at(51))
        #expect(receiver.counters.late == 1)
        #expect(receiver.counters.duplicates == 1)
    }

    @Test func theWaitStaysWithinItsBoundsAndFallsBack() {
        var receiver = AudioReceiver()
        for round in 0..<20 {
            receiver.handle(packet(round * 4), at: at(round * 1000))
            receiver.handle(packet(round * 4 + 2), at: at(round * 1000))
            receiver.handleTimeout(at: at(round * 1000 + 500))
            _ = receiver.drain()
            receiver.handle(packet(round * 4 + 1), at: at(round * 1000 + 600))
            receiver.handle(packet(round * 4 + 3), at: at(round * 1000 + 600))
            _ = receiver.drain()
        }
        #expect(receiver.wait > .milliseconds(190) && receiver.wait <= .milliseconds(200))
        for sequence in 80..<6000 {
            receiver.handle(packet(sequence), at: at(20_000 + sequence * 20))
            _ = receiver.drain()
        }
        #expect(receiver.wait >= .milliseconds(20) && receiver.wait < .milliseconds(21))
    }

    @Test func silenceThatWasNotSentIsNoLoss() {
        var receiver = AudioReceiver()
        receiver.handle(packet(1, timestamp: 960), at: at(0))
        receiver.handle(packet(2, timestamp: 960 + 19_200), at: at(400))
        receiver.handle(packet(3, timestamp: 960 + 2 * 19_200), at: at(800))
        let outputs = receiver.drain()
        #expect(outputs.packets.map(\.timestamp) == [960, 20_160, 39_360])
        #expect(outputs.count == 3)
        #expect(receiver.counters.lost == 0)
    }

    @Test func paddingFillsItsNumberSilently() {
        var receiver = AudioReceiver()
        receiver.handle(packet(1), at: at(0))
        var padding = packet(2)
        padding.payload = []
        receiver.handle(padding, at: at(1))
        receiver.handle(packet(3), at: at(2))
        #expect(receiver.drain().packets.map(\.data) == [[1], [3]])
    }

    @Test func aNewSSRCBeginsAtOnce() {
        var receiver = AudioReceiver()
        receiver.handle(packet(1), at: at(0))
        receiver.handle(packet(3), at: at(1))
        _ = receiver.drain()
        receiver.handle(packet(500, ssrc: 2), at: at(2))
        let packets = receiver.drain().packets
        #expect(packets.map(\.timestamp) == [500 * 960])
        #expect(packets.map(\.followsLoss) == [true])
        #expect(receiver.nextDeadline == nil)
    }

    @Test func aHoleBeyondTheWindowIsGivenUpAtOnce() {
        var receiver = AudioReceiver()
        receiver.handle(packet(1), at: at(0))
        _ = receiver.drain()
        receiver.handle(packet(1001), at: at(1))
        let outputs = receiver.drain()
        #expect(outputs.first == .lost(count: 999, at: 1920))
        #expect(outputs.packets.map(\.timestamp) == [1001 * 960])
    }

    @Test func levelsAreReadFromTheExtension() {
        var configuration = AudioReceiver.Configuration()
        configuration.audioLevelID = 1
        var receiver = AudioReceiver(configuration: configuration)
        var loud = packet(1)
        loud.extensions.set(1, AudioLevel(voice: true, level: 20).extensionBytes)
        receiver.handle(loud, at: at(0))
        receiver.handle(packet(2), at: at(20))
        #expect(
            receiver.drain().packets.map(\.audioLevel) == [AudioLevel(voice: true, level: 20), nil])
    }

    @Test(arguments: [0, 20, 200]) func everyPacketLeavesOnceInOrderOrIsLost(lossPermille: Int) {
        for seed in 0..<3 {
            var path = LossyPath(seed: UInt64(seed))
            path.jitter = .milliseconds(70)
            path.lossPermille = lossPermille
            path.duplicatePermille = 30
            var receiver = AudioReceiver()
            var outputs: [AudioReceiver.Output] = []
            for millisecond in 0..<20_000 {
                let now = at(millisecond)
                if millisecond % 20 == 0, millisecond < 19_000 {
                    path.send(packet(65_000 + millisecond / 20), at: now)
                }
                for packet in path.arrived(by: now) {
                    receiver.handle(packet, at: now)
                    outputs += receiver.drain()
                }
                if let deadline = receiver.nextDeadline, deadline <= now {
                    receiver.handleTimeout(at: now)
                    outputs += receiver.drain()
                }
            }
            expectContinuous(outputs)
            #expect(outputs.packets.count > (lossPermille == 200 ? 650 : 850))
        }
    }

    /// Each output begins where the previous one ended.
    private func expectContinuous(_ outputs: [AudioReceiver.Output]) {
        var next: Int64?
        for output in outputs {
            switch output {
            case .packet(let frame):
                #expect(frame.timestamp == next ?? frame.timestamp)
                next = frame.timestamp + 960
            case .lost(let count, let timestamp):
                #expect(timestamp == next)
                next = timestamp + Int64(count) * 960
            }
        }
    }
}
