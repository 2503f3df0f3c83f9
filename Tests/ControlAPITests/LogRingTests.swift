import Logging
import MediaKernel
import Testing

@testable import ControlAPI

@Suite struct LogRingTests {
    private let ring = LogRing()

    private func add(_ message: String, _ fields: [(String, String)] = []) {
        ring.take("roomcast", message, .info, TestWorld.now, fields)
    }

    @Test func itKeepsTheLatestLines() {
        for number in 1...(LogRing.linesMaximum * 3) { add("line \(number)") }
        let (lines, last) = ring.lines(LogRing.Query(limit: .max))
        #expect(last == LogRing.linesMaximum * 3)
        #expect(lines.count == LogRing.linesMaximum)
        #expect(lines.first?.number == LogRing.linesMaximum * 2 + 1)
        #expect(lines.last?.message == "line \(last)")
    }

    @Test func aBotThatLogsMuchDoesNotPushOutTheServersLines() {
        add("first")
        for number in 1...(LogRing.linesMaximum * 2) {
            ring.take("roomcast.bot", "\(number)", .info, TestWorld.now, [], from: .bots)
            if number == LogRing.linesMaximum { add("second") }
        }
        add("third")
        let lines = ring.lines(LogRing.Query(limit: .max)).lines
        #expect(lines.count == LogRing.linesMaximum + 3)
        #expect(lines.map(\.number) == lines.map(\.number).sorted())
        #expect(
            lines.filter { $0.logger == "roomcast" }.map(\.message) == ["first", "second", "third"])
        #expect(
            ring.lines(LogRing.Query(limit: 2)).lines.map(\.message)
                == ["\(LogRing.linesMaximum * 2)", "third"])
    }

    @Test func longTextsAreCut() throws {
        let long = String(repeating: "x", count: 10_000)
        add(long, (0..<100).map { ("\($0)", long) })
        let line = try #require(ring.lines(LogRing.Query()).lines.first)
        #expect(line.message.count == LogRing.messageMaximum)
        #expect(line.fields.count == LogRing.fieldsMaximum)
        #expect(line.fields.allSatisfy { $0.value.count <= LogRing.valueMaximum })
    }

    /// One letter with marks without end is one character.
    @Test func aCharacterMayNotBeLong() throws {
        add("a" + String(repeating: "\u{301}", count: 30_000))
        let line = try #require(ring.lines(LogRing.Query()).lines.first)
        #expect(line.message.unicodeScalars.count == LogRing.messageMaximum)
    }

    @Test func itHoldsSoManyBytes() {
        let long = String(
            repeating: "\u{1F469}\u{200D}\u{1F680}", count: LogRing.messageMaximum)
        for _ in 0..<1000 { add(long) }
        let lines = ring.lines(LogRing.Query(limit: .max)).lines
        let bytes = lines.reduce(0) { $0 + $1.message.utf8.count }
        #expect(bytes <= LogRing.bytesMaximum && lines.count > 100)
    }

    @Test func theNewestThatMatchComeInTheirOrder() {
        for number in 1...10 { add(number % 2 == 0 ? "even \(number)" : "odd \(number)") }
        let found = ring.lines(LogRing.Query(text: "EVEN", limit: 2)).lines.map(\.message)
        #expect(found == ["even 8", "even 10"])
        #expect(ring.lines(LogRing.Query(after: 10)).lines.isEmpty)
    }
}
