import MediaKernel
import RTP
import Testing

@Suite struct TransportFeedbackRecorderTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func drain(_ recorder: inout TransportFeedbackRecorder, _ now: Instant)
        -> [TransportFeedback]
    {
        var all: [TransportFeedback] = []
        while let feedback = recorder.poll(at: now) { all.append(feedback) }
        return all
    }

    @Test func aMessageIsDueAHundredMillisecondsAfterTheFirstPacket() {
        var recorder = TransportFeedbackRecorder(sender: SSRC(1), media: SSRC(2))
        #expect(recorder.nextDeadline == nil)
        recorder.received(sequence: 10, at: at(1000))
        recorder.received(sequence: 12, at: at(1010))
        #expect(recorder.nextDeadline == at(1100))
        #expect(recorder.poll(at: at(1099)) == nil)
        let feedback = recorder.poll(at: at(1100))
        // 1000 ms are 15 * 64 ms and 160 units of 250 us.
        #expect(
            feedback
                == TransportFeedback(
                    sender: SSRC(1), media: SSRC(2), baseSequence: 10, referenceTime: 15,
                    feedbackCount: 0, deltas: [160, nil, 40]))
        #expect(recorder.poll(at: at(1100)) == nil)
        #expect(recorder.nextDeadline == nil)
    }

    @Test func theNextMessageGoesOnWhereTheLastEnded() {
        var recorder = TransportFeedbackRecorder(sender: SSRC(1))
        recorder.received(sequence: 65_535, at: at(0))
        #expect(drain(&recorder, at(100)).map(\.baseSequence) == [65_535])
        recorder.received(sequence: 2, at: at(200))
        let next = drain(&recorder, at(300))
        #expect(next.map(\.baseSequence) == [0])
        #expect(next.map(\.feedbackCount) == [1])
        #expect(next.first?.deltas == [nil, nil, 32])
    }

    @Test func manyPacketsMakeItDueSooner() {
        var recorder = TransportFeedbackRecorder(sender: SSRC(1))
        for sequence in 0..<25 { recorder.received(sequence: UInt16(sequence), at: at(0)) }
        #expect(recorder.nextDeadline == at(50))
    }

    @Test func aLatePacketIsReportedAgain() {
        var recorder = TransportFeedbackRecorder(sender: SSRC(1))
        recorder.received(sequence: 5, at: at(0))
        recorder.received(sequence: 7, at: at(0))
        _ = drain(&recorder, at(100))
        recorder.received(sequence: 6, at: at(128))
        let again = drain(&recorder, at(300))
        #expect(again.map(\.baseSequence) == [6])
        // Number 7 came before number 6: its delta is negative.
        #expect(again.first?.deltas == [0, -512])
    }

    @Test func duplicatesChangeNothing() {
        var recorder = TransportFeedbackRecorder(sender: SSRC(1))
        recorder.received(sequence: 5, at: at(0))
        _ = drain(&recorder, at(100))
        recorder.received(sequence: 5, at: at(110))
        #expect(recorder.nextDeadline == nil)
    }

    @Test func aPacketBeforeTheFirstIsReportedToo() {
        var recorder = TransportFeedbackRecorder(sender: SSRC(1))
        recorder.received(sequence: 0, at: at(0))
        recorder.received(sequence: 65_534, at: at(1))
        #expect(drain(&recorder, at(100)).map(\.baseSequence) == [65_534])
    }

    @Test func aPauseTooLongForADeltaBeginsAnotherMessage() {
        var recorder = TransportFeedbackRecorder(sender: SSRC(1))
        recorder.received(sequence: 1, at: at(0))
        recorder.received(sequence: 2, at: at(10_000))
        let messages = drain(&recorder, at(10_000))
        #expect(messages.map(\.deltas) == [[0], [64]])
        #expect(messages.map(\.referenceTime) == [0, 156])
    }

    @Test func manyStatusesComeInPieces() {
        var recorder = TransportFeedbackRecorder(sender: SSRC(1))
        for sequence in 0..<1000 { recorder.received(sequence: UInt16(sequence), at: at(0)) }
        let messages = drain(&recorder, at(50))
        #expect(messages.map(\.deltas.count) == [400, 400, 200])
        #expect(messages.allSatisfy { RTCPPacket.serialize([.transportFeedback($0)]).count < 1200 })
    }

    @Test func anEnormousHoleIsSkipped() {
        var recorder = TransportFeedbackRecorder(sender: SSRC(1))
        recorder.received(sequence: 0, at: at(0))
        recorder.received(sequence: 10_000, at: at(1))
        #expect(drain(&recorder, at(200)).map(\.baseSequence) == [10_000])
    }

    @Test func whatIsReportedIsWhatArrived() {
        var random = SeededRandom(seed: 4)
        var recorder = TransportFeedbackRecorder(sender: SSRC(1))
        var arrived: [UInt16: Instant] = [:]
        var reported: [UInt16: Duration] = [:]
        for index in 0..<3000 {
            let now = at(index)
            if Int.random(in: 0..<10, using: &random) > 0 {
                let sequence = UInt16(truncatingIfNeeded: 60_000 + index)
                recorder.received(sequence: sequence, at: now)
                arrived[sequence] = now
            }
            for feedback in drain(&recorder, now) {
                for (sequence, time) in feedback.arrivals where time != nil {
                    reported[sequence] = time
                }
            }
        }
        for feedback in drain(&recorder, at(4000)) {
            for (sequence, time) in feedback.arrivals where time != nil {
                reported[sequence] = time
            }
        }
        #expect(reported == arrived.mapValues { $0 - .zero })
    }

    /// The reference time has 24 bits of 64 ms, and a host is up for more than six days.
    @Test(arguments: [1, 7, 13, 100]) func whatIsRecordedIsWhatIsRead(days: Int) throws {
        var recorder = TransportFeedbackRecorder(sender: SSRC(1))
        let now = Instant.zero + .seconds(days * 86_400)
        recorder.received(sequence: 1, at: now)
        let polled = recorder.poll(at: now + .seconds(1))
        let feedback = try #require(polled)
        let written = RTCPPacket.serialize([.transportFeedback(feedback)])
        #expect(try RTCPPacket.parseCompound(written) == [.transportFeedback(feedback)])
    }
}
