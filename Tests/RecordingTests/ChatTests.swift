import Foundation
import Testing
import Workbench

@testable import Recording

@Suite struct ChatTests {
    private func record(_ text: String, name: String = "Ann", roles: [String] = []) -> ChatRecord {
        ChatRecord(
            senderID: "p1", senderName: name, senderUserID: "u1", roles: roles,
            sentAt: "2026-02-03T04:05:06.789Z", type: "chat", text: text)
    }

    private func text(_ record: ChatRecord) -> String {
        let line = record.line
        let before = "p1,Ann,u1,[],2026-02-03T04:05:06.789Z,chat,"
        #expect(line.hasPrefix(before) && line.hasSuffix("\r\n"))
        let text = line.unicodeScalars.dropFirst(before.utf8.count).dropLast(2)
        return String(String.UnicodeScalarView(text))
    }

    @Test(arguments: [
        ("hello", "hello"), ("", ""), ("Grüße 🎥", "Grüße 🎥"), ("a, b", "\"a, b\""),
        ("say \"hi\"", "\"say \"\"hi\"\"\""), ("two\nlines", "\"two\nlines\""),
        ("two\r\nlines", "\"two\r\nlines\""), ("a\u{0}b\u{1B}", "a\u{FFFD}b\u{FFFD}"),
        ("a\tb", "\"a\tb\""), ("a;b", "\"a;b\""), ("x=1", "x=1"),
    ])
    func fieldsAreQuotedWhereRFC4180WantsIt(given: String, written: String) {
        #expect(text(record(given)) == written)
    }

    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "\"'\t'=1\""), ("＝1", "'＝1"), ("=A1,\"x\"", "\"'=A1,\"\"x\"\"\""),
    ])
    func whatASpreadsheetWouldCarryOutIsAText(given: String, written: String) {
        #expect(text(record(given)) == written)
    }

    /// Cells as a spreadsheet makes them that parts them at this and takes a quote for one only
    /// where a cell begins.
    private func cells(of line: String, partedBy separator: Unicode.Scalar) -> [String] {
        var cells = [""]
        var isQuoted = false
        var wasQuote = false
        for scalar in line.unicodeScalars {
            let isEnd = scalar == separator || scalar == "\n" || scalar == "\r"
            if scalar == "\"", cells[cells.count - 1].isEmpty, !isQuoted, !wasQuote {
                isQuoted = true
            } else if scalar == "\"", isQuoted {
                (isQuoted, wasQuote) = (false, true)
                continue
            } else if scalar == "\"", wasQuote {
                isQuoted = true
                cells[cells.count - 1].unicodeScalars.append(scalar)
            } else if isEnd, !isQuoted {
                cells.append("")
            } else {
                cells[cells.count - 1].unicodeScalars.append(scalar)
            }
            wasQuote = false
        }
        return cells
    }

    /// In much of Europe `;` separates cells, and quotes within a cell have no effect.
    @Test(arguments: [
        "x;=1+1", "x; =1+1", "x;\"=1+1", "x;\"\"=1+1", ";=1", "=1;=1", "x\n=1+1", "x\r\n+1",
        "x\r@SUM(A1)", "x\t-1", "x\n\n ;\t=1", "a,\"b;=1\"", "x;＝1", "\";=1;\"", "\n=1", " =1",
    ])
    func noCellIsAFormulaWhereverCellsBegin(given: String) {
        for line in [record(given).line, record("x", name: given).line] {
            for separator in [",", ";", "\t"] as [Unicode.Scalar] {
                for cell in cells(of: line, partedBy: separator) {
                    let begin = cell.unicodeScalars.first { $0 != " " && $0 != "\"" }
                    let isFormula = begin.map { "=+-@＝＋－＠".unicodeScalars.contains($0) } ?? false
                    #expect(!isFormula, "\(cell) of \(line)")
                }
            }
        }
    }

    @Test func aNameIsAsStrangeAsAText() {
        #expect(
            record("x", name: "=cmd|'/C calc'!A0").line
                == "p1,'=cmd|'/C calc'!A0,u1,[],2026-02-03T04:05:06.789Z,chat,x\r\n")
    }

    @Test func rolesAreAList() {
        #expect(
            record("x", roles: ["host", "guest"]).line.contains(
                ",\"[\"\"host\"\",\"\"guest\"\"]\","))
    }

    @Test func aFileBeginsWithItsHeaderAndIsReadUpToItsLastWholeLine() throws {
        let scratch = try Scratch()
        let path = scratch.path
        let file = ChatFile(in: path)
        #expect(try file.read() == nil)
        let records = ["one", "two\nlines, \"quoted\"", "three"].map { record($0) }
        for record in records { #expect(try file.append(record) != nil) }
        let whole = Array((ChatRecord.header + records.map(\.line).joined()).utf8)
        #expect(try file.read() == whole)
        let ends = records.indices.map { index in
            ChatRecord.header.utf8.count
                + records[...index].map(\.line.utf8.count).reduce(0, +)
        }
        // Killed after any byte.
        for count in 0...whole.count {
            let expected = ends.last { $0 <= count } ?? 0
            let lines = ChatFile.wholeLines(Array(whole[..<count]))
            #expect(lines == Array(whole[..<lines.count]))
            let kept = lines.count
            #expect(kept == expected || kept == ChatRecord.header.utf8.count && expected == 0)
        }
        try Data(whole[..<ChatRecord.header.utf8.count]).write(
            to: URL(filePath: "\(path)/\(ChatFile.name)"))
        #expect(try file.read() == nil, "a header alone is no chat")
    }

    @Test func aFileIsNoLongerThanItMayBe() throws {
        let scratch = try Scratch()
        let path = scratch.path
        let name = "\(path)/\(ChatFile.name)"
        #expect(FileManager.default.createFile(atPath: name, contents: nil))
        let handle = try #require(FileHandle(forWritingAtPath: name))
        // A hole takes no space on the disk.
        try handle.truncate(atOffset: UInt64(ChatFile.bytesMaximum - record("x").line.utf8.count))
        try handle.close()
        let file = ChatFile(in: path)
        #expect(try file.append(record("xy")) == nil)
        #expect(try file.append(record("x")) != nil)
        #expect(try file.append(record("")) == nil)
    }

    @Test func whatIsErasedIsGoneAtOnceAndTheRestStays() throws {
        let scratch = try Scratch()
        let path = scratch.path
        let file = ChatFile(in: path)
        let records = ["one", "two\r\n  \r\nlines, \"quoted\"", "three", "  "].map { record($0) }
        let lines = try records.map { try #require(try file.append($0)) }
        func rest(_ indices: Int...) -> [UInt8] {
            Array((ChatRecord.header + indices.map { records[$0].line }.joined()).utf8)
        }
        #expect(try file.read() == rest(0, 1, 2, 3))
        try file.erase(lines[0])
        #expect(try file.read() == rest(1, 2, 3))
        try file.erase(lines[1])
        #expect(try file.read() == rest(2, 3))
        let bytes = try Data(contentsOf: URL(filePath: "\(path)/\(ChatFile.name)"))
        #expect(bytes.count == lines[3].upperBound, "the lines that follow keep their places")
        #expect(!String(decoding: bytes, as: UTF8.self).contains("quoted"))
        // It goes on where it was.
        let line = try #require(try file.append(record("four")))
        #expect(line.lowerBound == lines[3].upperBound)
        for line in [lines[2], lines[3], line] { try file.erase(line) }
        #expect(try file.read() == nil, "a header alone is no chat")
    }
}
