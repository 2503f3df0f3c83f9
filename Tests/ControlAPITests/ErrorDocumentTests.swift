import Foundation
import HundredMSTerms
import Rooms
import Testing

/// docs/ERRORS.md names existing tests, and every number.
@Suite struct ErrorDocumentTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func document() throws -> String {
        try String(contentsOf: root.appending(path: "docs/ERRORS.md"), encoding: .utf8)
    }

    @Test func everyTestThatItNamesIsThere() throws {
        var tests = ""
        let files = FileManager.default.enumerator(atPath: root.appending(path: "Tests").path())
        while let path = files?.nextObject() as? String {
            guard path.hasSuffix(".swift") || path.hasSuffix(".py") else { continue }
            tests += try String(
                contentsOf: root.appending(path: "Tests/\(path)"), encoding: .utf8)
        }
        var names: Set<String> = []
        for line in try document().split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|")
            // The table of client numbers has three columns.
            guard let last = cells.last, cells.count >= 3 else { continue }
            for (index, word) in last.split(separator: "`").enumerated() where index % 2 == 1 {
                names.insert(String(word))
            }
        }
        #expect(names.count > 15)
        for name in names.sorted() {
            #expect(
                tests.contains("func \(name)(") || tests.contains("def \(name)("),
                "no test is called \(name)")
        }
    }

    @Test func everyNumberIsInIt() throws {
        let document = try document()
        for number in ErrorNumber.allCases {
            let row = "| \(number.status) | \(number.rawValue) |"
            #expect(document.contains(row), "no row has \(row)")
        }
    }
}
