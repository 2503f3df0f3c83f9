import MediaKernel
import RTP
import Testing

@testable import MediaServer

@Suite struct TrackBudgetTests {
    @Test(arguments: [
        (false, nil, 640_000), (false, 32_000, 640_000), (false, 256_000, 1_024_000),
        (true, nil, 40_000_000), (true, 300_000, 10_000_000), (true, 5_000_000, 20_000_000),
        (true, Int.max, 4_000_000_000),
    ])
    func aTrackMayHaveSeveralTimesWhatItsRoleSays(isVideo: Bool, stated: Int?, rate: Int) {
        #expect(TrackBudget.maximum(isVideo: isVideo, stated: stated) == rate)
        var budget = TrackBudget(isVideo: isVideo, stated: stated, at: .zero)
        var now = Instant.zero
        var passed = 0
        // For ten seconds, continuously and in large pieces.
        for _ in 0..<1000 {
            now = now + .milliseconds(10)
            while budget.take(bytes: rate / 800, at: now) { passed += rate / 800 }
        }
        let most = rate / 8 * (10 + TrackBudget.burstSeconds)
        #expect(passed <= most + rate / 800)
        #expect(passed >= rate / 8 * 10)
    }

    @Test func ofSoundPacketsAreCountedToo() {
        var budget = TrackBudget(isVideo: false, stated: 32_000, at: .zero)
        let passed = (0..<10_000).count { _ in budget.take(bytes: 1, at: .zero) }
        #expect(passed == TrackBudget.soundPackets * TrackBudget.burstSeconds)
    }

    /// A second's worth of a camera in one picture, twice the rate in its role for minutes, and
    /// Opus at its highest rate and in its shortest packets.
    @Test func anHonestClientIsLeftAlone() {
        var camera = TrackBudget(isVideo: true, stated: 900_000, at: .zero)
        var voice = TrackBudget(isVideo: false, stated: 32_000, at: .zero)
        var now = Instant.zero
        for frame in 0..<30 * 120 {
            now = now + .microseconds(33_333)
            let isSeen = camera.take(bytes: frame % 300 == 0 ? 400_000 : 7500, at: now)
            let isHeard = (0..<13).allSatisfy { _ in voice.take(bytes: 160, at: now) }
            #expect(isSeen && isHeard)
        }
    }

    @Test func anotherRateHoldsFromNowOn() {
        var budget = TrackBudget(isVideo: true, stated: nil, at: .zero)
        budget.state(1_000_000, at: .zero)
        let passed = [2_600_000, 2_400_000].map { budget.take(bytes: $0, at: .zero) }
        #expect(passed == [false, true])
        // Stated again, the rate grants nothing more.
        budget.state(1_000_000, at: .zero)
        let passesMore = budget.take(bytes: 1_000_000, at: .zero)
        #expect(!passesMore)
    }

    /// Tiny packets cost subscribers as many headers as large ones.
    @Test(arguments: [(1200, 100_000_000 / 8), (1, 20_000)])
    func ofAllTracksBytesAndPacketsAreCounted(payload: Int, perSecond: Int) {
        var budget = PeerBudget(at: .zero)
        var now = Instant.zero
        var passed = 0
        for _ in 0..<500 {
            now = now + .milliseconds(10)
            while budget.take(bytes: payload, at: now) { passed += payload }
        }
        let most = perSecond * (5 + TrackBudget.burstSeconds)
        #expect((most - payload * 500...most).contains(passed))
    }

    @Test func thePublisherIsToldNowAndThen() {
        var budget = TrackBudget(isVideo: true, stated: nil, at: .zero)
        let told = (0..<60).count { budget.warns(at: .zero + .seconds($0)) }
        #expect(told == 6)
    }
}

extension SimulatedRoomTests {
    @Suite struct Budgets {
        /// 11 Mbit/s on a microphone track.
        @Test func ofATrackNoMoreGoesOnThanItsBudget() async throws {
            let room = try await SimulatedRoom.connected()
            var number = 0
            let begin = room.now
            room.run(for: .seconds(2))
            let pictures = room.packets(since: begin)
            room.microphone = { _ in
                (0..<6).map { _ in
                    number += 1
                    return RTPPacket(
                        payloadType: PayloadType(0),
                        sequenceNumber: SequenceNumber(extended: Int64(number)),
                        timestamp: UInt32(number * 40), ssrc: SSRC(0),
                        payload: [UInt8](repeating: 0xF8, count: 1150)[...])
                }
            }
            let flood = room.now
            room.run(for: .seconds(2))
            #expect(room.packets(since: flood) > pictures / 2)
            room.run(for: .seconds(8))
            let bytes = room.sound.reduce(0) { $0 + $1.payload.count }
            #expect(bytes <= TrackBudget.soundMinimum / 8 * (10 + TrackBudget.burstSeconds))
            #expect(bytes > TrackBudget.soundMinimum / 8)
            #expect(room.figures.excessPackets > 8000)
            let told = await room.excessTold()
            #expect(told == ["sound"])
        }

        /// The smallest packets, far too many, of which the track's bytes say nothing.
        @Test func ofAllTracksNoMoreGoesOnThanThePeersBudget() async throws {
            let room = try await SimulatedRoom.connected()
            var number = 0
            room.microphone = { _ in
                (0..<1000).map { _ in
                    number += 1
                    return RTPPacket(
                        payloadType: PayloadType(0),
                        sequenceNumber: SequenceNumber(extended: Int64(number)),
                        timestamp: UInt32(number), ssrc: SSRC(0), payload: [0xF8])
                }
            }
            room.run(for: .milliseconds(300))
            let told = await room.excessTold()
            #expect(told == ["sound", nil])
        }

        /// Each goes to every subscriber, and a datagram holds many.
        @Test func moreSenderReportsThanClientsSendStayHere() async throws {
            let room = try await SimulatedRoom.connected()
            var number = 0
            room.microphone = { _ in
                number += 1
                guard number % 4 == 0 else { return [] }
                return [
                    RTPPacket(
                        payloadType: PayloadType(0),
                        sequenceNumber: SequenceNumber(extended: Int64(number / 4)),
                        timestamp: UInt32(number / 4 * 960), ssrc: SSRC(0),
                        payload: [UInt8](repeating: 0xF8, count: 60)[...])
                ]
            }
            room.run(for: .seconds(1))
            for _ in 0..<200 {
                for _ in 0..<5 { room.reportSound() }
                room.run(for: SimulatedRoom.step)
            }
            let most = SourceReports.burst + SourceReports.perSecond
            #expect((SourceReports.burst...most + 2).contains(room.soundReports))
            // Some of the last have not been counted yet.
            #expect(room.figures.excessPackets >= 1000 - most - 100)
            // Later ones are forwarded again.
            room.run(for: .seconds(1))
            let before = room.soundReports
            room.reportSound()
            room.run(for: .milliseconds(100))
            #expect(room.soundReports == before + 1)
        }

        /// For each, every subscriber's layers are chosen anew.
        @Test func sizesThatChangeWithEachPictureAreToldNowAndThen() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(1))
            _ = await room.layersTold()
            room.source.changesSize = true
            room.run(for: .seconds(4))
            let told = await room.layersTold()
            let most = ForwardedTrack.sizeChangesBurst + 4 * ForwardedTrack.sizeChangesPerSecond
            // Each change is told when the layers are chosen and when the subscriber is on the new
            // one. Layers are also chosen anew without any cause, once a second.
            #expect((4...2 * most + 10).contains(told))
        }
    }
}
