import Testing
import Workbench

@testable import Recording

@Suite struct CaptionLogTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func caption(_ number: Int, _ text: String = "hello") -> Caption {
        Caption(
            number: number, language: "en", start: 1_700_000_000_000, end: 1_700_000_001_000,
            speaker: "Änn \"A\"", peer: "p1", text: text)
    }

    @Test func whatIsAppendedIsReadInOrder() throws {
        #expect(try CaptionLog.read(in: scratch.path).isEmpty)
        #expect(try CaptionLog.append([caption(1), caption(2, "two\nlines")], in: scratch.path))
        #expect(try CaptionLog.append([caption(3)], in: scratch.path))
        #expect(
            try CaptionLog.read(in: scratch.path)
                == [caption(1), caption(2, "two\nlines"), caption(3)])
    }

    @Test func aTornLineCostsOnlyItself() throws {
        #expect(try CaptionLog.append([caption(1), caption(2)], in: scratch.path))
        let bytes = try scratch.bytes(CaptionLog.fileName)
        for count in stride(from: bytes.count - 1, to: bytes.count - 40, by: -1) {
            try scratch.write(Array(bytes[..<count]), to: CaptionLog.fileName)
            #expect(try CaptionLog.append([caption(3)], in: scratch.path))
            let read = try CaptionLog.read(in: scratch.path)
            #expect(
                read == [caption(1), caption(3)] || read == [caption(1), caption(2), caption(3)])
        }
    }

    @Test func changedLinesAndImpossibleTimesAreIgnored() throws {
        var wrong = caption(2)
        wrong.end = wrong.start
        var far = caption(3)
        far.end = 1 << 50
        let lines = [caption(1), wrong, far].map(CaptionLog.line).joined()
        let changed = CaptionLog.line(caption(4)).replacing("hello", with: "jello")
        try scratch.write(Array((lines + changed + "\u{0}\n*\n").utf8), to: CaptionLog.fileName)
        #expect(try CaptionLog.read(in: scratch.path) == [caption(1)])
    }

    /// A bot may append to the log, and its limits are not those of the finisher, which reads it.
    @Test func whatTheServiceNeverWritesIsIgnored() throws {
        var most = caption(Caption.perStreamMaximum, String(repeating: "😀", count: 500))
        most.end = most.start + 60_000
        most.speaker = String(repeating: "😀", count: 128)
        most.peer = most.speaker
        var long = caption(2)
        long.end = long.start + 60_001
        var named = caption(3)
        named.speaker = String(repeating: "x", count: 513)
        var known = caption(4)
        known.peer = named.speaker
        let wordy = caption(5, String(repeating: "x", count: 2001))
        let forged = [
            caption(.max), caption(Caption.perStreamMaximum + 1), long, named, known, wordy,
        ]
        #expect(try CaptionLog.append([most] + forged, in: scratch.path))
        #expect(try CaptionLog.read(in: scratch.path) == [most])
    }

    @Test func aFullLogTakesNoMore() throws {
        try scratch.write(
            [UInt8](repeating: 10, count: CaptionLog.bytesMaximum), to: CaptionLog.fileName)
        #expect(try !CaptionLog.append([caption(1)], in: scratch.path))
        #expect(try CaptionLog.read(in: scratch.path).isEmpty)
    }

    @Test func aGrowingLogIsReadOnce() throws {
        var reader = CaptionLog.Reader(in: scratch.path)
        #expect(try reader.more().isEmpty)
        #expect(try CaptionLog.append([caption(1)], in: scratch.path))
        #expect(try reader.more() == [caption(1)])
        #expect(try reader.more().isEmpty)
        // A line that is being written.
        let whole = try scratch.bytes(CaptionLog.fileName)
        let line = Array(CaptionLog.line(caption(2)).utf8)
        for count in 0..<line.count {
            try scratch.write(whole + line[..<count], to: CaptionLog.fileName)
            #expect(try reader.more().isEmpty)
        }
        try scratch.write(whole + line, to: CaptionLog.fileName)
        #expect(try reader.more() == [caption(2)])
    }
}
