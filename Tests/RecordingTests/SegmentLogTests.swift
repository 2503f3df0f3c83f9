import Foundation
import MediaKernel
import Testing
import Workbench

@testable import Recording

@Suite struct SegmentLogTests {
    static let record = SegmentRecord(
        number: 12, run: 1_760_000_000_000_000_000, frameRate: 30, origin: 90_000, firstFrame: 720,
        frameCount: 60, isLeftOut: false, byteCount: 512_340, checksum: 0x0A3F_0C11,
        parameterSets: ParameterSets(sequence: [0x67, 0x64, 0, 0x1F], picture: [0x68, 0xEB]),
        pictures: [
            PictureSample(byteCount: 51_234, frame: 0, isKeyframe: true),
            PictureSample(byteCount: 812, frame: 3, isKeyframe: false),
            PictureSample(byteCount: 640, frame: 1, isKeyframe: false),
            PictureSample(byteCount: 641, frame: 2, isKeyframe: false),
        ],
        sound: SoundFormat(objectType: 2, rateIndex: 3, channels: 2).map {
            SegmentRecord.SoundRecord(format: $0, firstSample: -1264, blockSizes: [301, 299])
        })

    @Test func aLineIsReadableAndComesBackAsItWas() throws {
        let line = Self.record.line
        #expect(line.hasSuffix("\n"))
        let parts = line.dropLast().split(separator: "*")
        #expect(
            parts[0] == """
                12 run=1760000000000000000 rate=30 origin=90000 first=720 frames=60 bytes=512340 \
                crc=0a3f0c11 sps=6764001f pps=68eb video=k51234,812@3,640@1,641 \
                sound=2/3/2@-1264:301,299 \

                """)
        #expect(SegmentRecord(line: line.dropLast()) == Self.record)
        var other = Self.record
        other.isLeftOut = true
        other.sound = nil
        #expect(SegmentRecord(line: other.line.dropLast()) == other)
        other = Self.record
        other.header = 0x1A2B_3C4D
        #expect(other.line.contains(" init=1a2b3c4d "))
        #expect(other.fileName == "segment_000012.m4s" && other.headerName == "init_1a2b3c4d.mp4")
        #expect(SegmentRecord(line: other.line.dropLast()) == other)
        other = Self.record
        other.parameterSets = nil
        other.pictures = []
        #expect(SegmentRecord(line: other.line.dropLast()) == other)
    }

    @Test func noChangedOrTornLineIsTakenForARecord() {
        let line = Array(Self.record.line.utf8.dropLast())
        for count in line.indices {
            #expect(SegmentRecord(line: String(decoding: line[..<count], as: UTF8.self)) == nil)
        }
        var random = SeededRandom(seed: 3)
        for index in line.indices {
            var changed = line
            changed[index] ^= UInt8.random(in: 1...127, using: &random)
            let record = SegmentRecord(line: String(decoding: changed, as: UTF8.self))
            // The digits of the checksum may be upper case; nothing else may differ.
            #expect(record == nil || record == Self.record)
        }
    }

    /// The checksum is correct, as in a malicious file.
    @Test func absurdNumbersAreRefusedAndNeverTrap() {
        let fields = Self.record.line.split(separator: " ").dropLast().map(String.init)
        let numbers = [
            "", "-1", "0", "99999999999999999999", "9223372036854775807", "-9223372036854775808",
            "k", "1/2", "2/3/2@:", "2/3/2@9223372036854775807:1", "4294967295", ",", "1@", "@",
            "zz",
        ]
        var random = SeededRandom(seed: 4)
        for round in 0..<4000 {
            var changed = fields
            let index = Int.random(in: changed.indices, using: &random)
            let number = numbers.randomElement(using: &random) ?? ""
            let name = changed[index].split(separator: "=").first ?? ""
            changed[index] = index == 0 ? number : "\(name)=\(number)"
            if round.isMultiple(of: 2) { changed.swapAt(0, index) }
            let text = changed.joined(separator: " ")
            let sum = Hexadecimal.text(CRC32.checksum(text.utf8))
            guard let record = SegmentRecord(line: "\(text) *\(sum)") else { continue }
            // Accepted records can be planned and laid out.
            guard let plan = try? RecordingPlan(layers: [[record, Self.record]]) else { continue }
            _ = try? MP4Movie(plan, layer: 0, width: 64, height: 64, createdAt: 0)
        }
    }

    @Test func aTornLineCostsNothingButItself() {
        var second = Self.record
        second.number = 13
        let whole = Array(Self.record.line.utf8)
        for count in 1..<whole.count - 1 {
            var bytes = Array(whole[..<count])
            bytes += SegmentLog.appendix(second, after: bytes.last).utf8
            let log = SegmentLog(parsing: bytes)
            #expect(log.records == [second])
            #expect(log.damagedLines == 1)
        }
        // Only the line break is missing: the line is complete.
        let bytes = whole.dropLast() + Array(SegmentLog.appendix(second, after: 0x31).utf8)
        #expect(SegmentLog(parsing: Array(bytes)).records == [Self.record, second])
        #expect(SegmentLog.appendix(second, after: nil) == second.line)
        #expect(SegmentLog.appendix(second, after: 10) == second.line)
    }

    /// Before and after a stretch that a machine left unwritten when it died.
    @Test func theLogOfWeeksIsRead() throws {
        let scratch = try Scratch()
        var second = Self.record
        second.number = 13
        let path = "\(scratch.path)/stream_0/segments.log"
        try scratch.write(Data(Self.record.line.utf8), to: "stream_0/segments.log")
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 300 << 20)
        try file.seekToEnd()
        try file.write(contentsOf: Data("\n\(second.line)".utf8))
        try file.close()
        #expect(
            try StreamFolder(path: scratch.path).logs().map(\.records) == [[Self.record, second]])
    }

    @Test func aBotReadsTheEndOfALogOnly() throws {
        let scratch = try Scratch()
        var record = Self.record
        var text = ""
        while text.utf8.count < 2 << 20 {
            record.number += 1
            text += record.line
        }
        try scratch.write(Data(text.utf8), to: SegmentLog.fileName)
        let latest = try SegmentLogFile(in: scratch.path).latest
        #expect(latest.last == record && latest.count < record.number - Self.record.number)
        // After an unreadable end.
        try scratch.write(
            Data(Self.record.line.utf8) + Data(count: 9 << 20), to: SegmentLog.fileName)
        #expect(try SegmentLogFile(in: scratch.path).latest == [Self.record])
    }

    @Test func ofTwoLinesForASegmentTheLaterOneCounts() {
        var again = Self.record
        again.checksum = 5
        var next = Self.record
        next.number = 13
        let text = Self.record.line + next.line + again.line
        #expect(SegmentLog(parsing: Array(text.utf8)).records == [again, next])
    }
}
