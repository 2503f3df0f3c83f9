import MediaKernel
import Testing

@testable import Recording

@Suite struct TrackRecorderTests {
    private let track = RecordedTrack(
        id: "camera", peer: "p1", name: "Ann", role: "host", source: "regular")
    private var recorder: TrackRecorder
    private var now = Instant.zero
    /// What the orders have made.
    private var files: [String: Int] = [:]
    private var open = ""
    private var notes: [TrackLogEntry] = []
    private var keyframesAsked = 0

    init() { recorder = TrackRecorder(track, codec: .vp8, number: 4) }

    private mutating func carryOut(_ orders: [TrackRecorder.Order]) {
        for order in orders {
            switch order {
            case .begin(let file, _):
                open = file
                files[file] = 0
            case .append: files[open, default: 0] += 1
            case .note(let entry): notes.append(entry)
            case .keyframeNeeded: keyframesAsked += 1
            }
        }
    }

    /// A picture of a camera with 25 pictures a second.
    private mutating func picture(
        _ number: Int64, isKeyframe: Bool = false, width: Int = 640, rotation: Int = 0,
        jump: Int64 = 0, followsLoss: Bool = false
    ) {
        now = Instant(nanoseconds: number * 40_000_000)
        carryOut(
            recorder.take(
                .init(
                    data: [1, 2], timestamp: 1000 + number * 3600 + jump, isKeyframe: isKeyframe,
                    rotation: rotation, width: isKeyframe ? width : nil,
                    height: isKeyframe ? 360 : nil, followsLoss: followsLoss),
                captured: now, at: now))
    }

    private mutating func packet(_ number: Int64, _ data: [UInt8] = [0xF8, 0xFF, 0xFE]) {
        now = Instant(nanoseconds: number * 20_000_000)
        carryOut(
            recorder.take(
                .init(data: data, timestamp: number * 960, isKeyframe: true), captured: now,
                at: now))
    }

    private var gaps: [String] {
        notes.compactMap {
            if case .gap(_, let from, let to, let reason) = $0 {
                "\(from)-\(to) \(reason)"
            } else {
                nil
            }
        }
    }

    private var ends: [Int64] {
        notes.compactMap { if case .end(_, let media) = $0 { media } else { nil } }
    }

    private var parts: [String] {
        notes.compactMap { if case .part(let file, _, _) = $0 { file } else { nil } }
    }

    @Test mutating func aFileBeginsWithAKeyFrameWhichIsAskedForOnceASecond() {
        for number in 0..<30 { picture(Int64(number)) }
        #expect(keyframesAsked == 2 && files.isEmpty)
        picture(30, isKeyframe: true)
        #expect(parts == ["4-0.mkv"])
        #expect(
            notes.last == .clock(file: "4-0.mkv", media: 0, capture: now.nanoseconds))
    }

    @Test mutating func whatDidNotFitIsFollowedByAKeyFrameWhichIsAskedFor() {
        picture(0, isKeyframe: true)
        recorder.overflowed()
        picture(10)
        #expect(keyframesAsked == 1)
        picture(11, isKeyframe: true)
        picture(12)
        #expect(keyframesAsked == 1 && parts == ["4-0.mkv"])
        #expect(gaps.count == 1 && gaps[0].hasSuffix("overflow"))
    }

    @Test mutating func aTrackThatHasUsedUpItsFilesAsksForNothing() {
        for number in 0...1000 {
            picture(Int64(number), isKeyframe: true, width: 640 + Int(number % 2) * 16)
        }
        let asked = keyframesAsked
        for number in 1001..<1100 { picture(Int64(number)) }
        #expect(parts.count == 1000 && keyframesAsked == asked)
    }

    @Test mutating func aSecondIsTheMostThatWaits() {
        picture(0, isKeyframe: true)
        for number in 1..<60 { picture(Int64(number)) }
        #expect(files == ["4-0.mkv": 2])
        carryOut(recorder.flush(at: now))
        #expect(files == ["4-0.mkv": 2])
        carryOut(recorder.flush(at: now + .seconds(1)))
        #expect(files == ["4-0.mkv": 3])
        carryOut(recorder.flush(at: now + .seconds(9)))
        #expect(files == ["4-0.mkv": 3], "there is nothing more")
    }

    @Test mutating func anotherSizeOrRotationIsAnotherFile() {
        picture(0, isKeyframe: true)
        picture(1)
        picture(2, isKeyframe: true)
        picture(3, isKeyframe: true, width: 320)
        picture(4, isKeyframe: true, width: 320, rotation: 90)
        #expect(parts == ["4-0.mkv", "4-1.mkv", "4-2.mkv"])
        // The last picture of a file lasts until the next file begins.
        #expect(ends == [1200, 400])
    }

    @Test mutating func aSenderWhoseClockJumpsBeginsAnotherFile() {
        picture(0, isKeyframe: true)
        picture(1, jump: 900_000)
        picture(2, isKeyframe: true, jump: 900_000)
        picture(3, jump: 900_000)
        #expect(parts == ["4-0.mkv", "4-1.mkv"] && keyframesAsked == 1)
    }

    @Test mutating func aPictureIsHeldWhereOthersAreMissing() {
        picture(0, isKeyframe: true)
        picture(20)
        picture(60)
        picture(62, followsLoss: true)
        recorder.overflowed()
        picture(64)
        picture(66, isKeyframe: true)
        #expect(
            gaps == ["8000-24000 silence", "24000-24800 loss", "24800-26400 overflow"])
        #expect(parts.count == 1)
        carryOut(recorder.end(at: now + .seconds(3)))
        #expect(ends == [26_400 + 30_000])
    }

    @Test mutating func nothingOfAPauseIsRecorded() {
        picture(0, isKeyframe: true)
        carryOut(recorder.setPaused(true, at: now))
        #expect(files == ["4-0.mkv": 1], "what came before is written")
        picture(1, isKeyframe: true)
        carryOut(recorder.setPaused(false, at: now))
        #expect(keyframesAsked == 1)
        picture(2)
        picture(3, isKeyframe: true)
        carryOut(recorder.end(at: now))
        #expect(gaps == ["0-1200 pause"] && files == ["4-0.mkv": 2])
    }

    @Test mutating func lostSoundIsTold() {
        recorder = TrackRecorder(track, codec: .opus, number: 0)
        packet(0)
        packet(1)
        recorder.lost()
        packet(5)
        packet(30)
        packet(90)
        #expect(gaps == ["400-1000 loss", "6200-18000 silence"])
        carryOut(recorder.end(at: now))
        #expect(ends == [18_200])
    }

    @Test mutating func stereoNeedsAFileThatHasIt() {
        recorder = TrackRecorder(track, codec: .opus, number: 0)
        packet(0)
        packet(1, [0xFC, 0xFF, 0xFE])
        packet(2)
        #expect(parts == ["0-0.mkv", "0-1.mkv"])
    }

    @Test mutating func theClockIsNotedOftenAtFirst() {
        recorder = TrackRecorder(track, codec: .opus, number: 0)
        for number in 0..<3000 { packet(Int64(number)) }
        let noted = notes.compactMap {
            if case .clock(_, let media, _) = $0 { media / 10_000 } else { nil }
        }
        #expect(noted == [0, 0, 1, 3, 7, 15, 25, 35, 45, 55])
    }

    @Test func theConfigurationOfAV1IsThatOfItsSequenceHeader() {
        // Temporal delimiter, sequence header (profile 0, level index 8), frame.
        let header: [UInt8] = [
            0x0A, 0x0B, 0x00, 0x00, 0x00, 0x42, 0xA7, 0xBF, 0xE4, 0x60, 0x0D, 0x00, 0x40,
        ]
        let unit = AV1Unit([0x12, 0x00] + header + [0x32, 0x02, 1, 2])
        #expect(unit.bytes == header + [0x32, 0x02, 1, 2])
        #expect(unit.sequenceHeader == header)
        #expect(
            AV1Unit.configuration(of: header)?.prefix(4) == [0x81, 0x08, 0x0C, 0x00])
    }
}
