import Testing

@testable import HOCON

@Suite struct IncludeTests {
    private static let files = [
        "b.conf": "d = ${c}\ne = ${?d}\na.x = 2", "/run/c.conf": "[1]",
        "again.conf": "include \"again.conf\"",
        "broken.conf": "\n  a = }",
    ]

    private func document(_ text: String) throws(HOCONFault) -> HOCONDocument {
        try HOCONDocument(text, source: "a.conf") { include throws(HOCONFault) in
            Self.files[include.name].map { HOCONText($0, source: include.name) }
        }
    }

    @Test(arguments: [
        ("c = 1\ninclude \"b.conf\"", "{a:{x:'2'},c:'1',d:'1',e:'1'}"),
        ("include file(\"b.conf\")\nc = 1\na.x = 3", "{a:{x:'3'},c:'1',d:'1',e:'1'}"),
        ("include required( file(\"b.conf\") ), c = 1", "{a:{x:'2'},c:'1',d:'1',e:'1'}"),
        // What stands in an included file is looked up beside it first, then from the root.
        ("c = 1\nf { c = 2, include \"b.conf\" }", "{c:'1',f:{a:{x:'2'},c:'2',d:'2',e:'2'}}"),
        ("c = 1\nf { include \"b.conf\" }", "{c:'1',f:{a:{x:'2'},d:'1',e:'1'}}"),
        ("include \"absent.conf\"\nc = 1", "{c:'1'}"),
    ])
    func anIncludedFileStandsInPlaceOfTheStatement(text: String, means: String) throws {
        #expect(try HOCONDocumentTests.json(document(text).root) == means)
    }

    @Test(arguments: [
        (
            "include required(\"absent.conf\")",
            "a.conf:1:1: the included file 'absent.conf' is not there"
        ),
        (
            "include url(\"http://x\")",
            "a.conf:1:1: an include of url(…): only files can be included"
        ),
        ("include file(x)", "a.conf:1:14: 'x' where the name of a file in quotes belongs"),
        ("include file(\"b.conf\"", "a.conf:1:22: the end of the file in place of ')'"),
        ("include \"/run/c.conf\"", "/run/c.conf:1:1: a list in place of keys"),
        ("include \"again.conf\"", "again.conf:1:1: more than 8 files within each other"),
        ("include \"broken.conf\"", "broken.conf:2:7: '}' where a value belongs"),
    ])
    func whatIsWrongWithAnIncludeIsSaid(text: String, message: String) {
        let fault = #expect(throws: HOCONFault.self) { try document(text) }
        #expect(fault?.description == message)
    }

    @Test func theDocumentTellsWhatItIncluded() throws {
        let included = try document("c = 1\ninclude \"b.conf\"\ninclude \"absent.conf\"").included
        #expect(included.map(\.name) == ["b.conf", "absent.conf"])
        #expect(included.map(\.isFound) == [true, false] && included.map(\.place.line) == [2, 3])
    }
}
