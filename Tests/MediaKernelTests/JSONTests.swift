import MediaKernel
import Testing
import Workbench

@Suite struct JSONTests {
    private func value(_ text: String) throws -> JSONValue {
        try JSONDocument.decode(JSONValue.self, from: text.utf8)
    }

    @Test func everyKindIsRead() throws {
        let text = """
             {"a" : [ null,true,false, -0, 12, 9223372036854775807, 1.5e2 ],
              "b": {}, "c":[], "é": "\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é😀"}\t
            """
        #expect(
            try value(text)
                == .object([
                    "a": .array([
                        .null, .bool(true), .bool(false), .integer(0), .integer(12),
                        .integer(.max), .number(150),
                    ]),
                    "b": .object([:]), "c": .array([]),
                    "é": .string("\"\\/\u{8}\u{c}\n\r\té😀é😀"),
                ]))
        #expect(try value("-9223372036854775808") == .integer(.min))
        #expect(try value("9223372036854775808") == .number(9_223_372_036_854_775_808))
        #expect(try value(#"{"a":1,"a":2}"#) == .object(["a": .integer(2)]), "as JavaScript")
        #expect(try value("\u{feff}1") == .integer(1))
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,]", "[,1]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
        "{a:1}",
        "1 2", "[] []", "tru", "nul", "TRUE", "01", "+1", ".5", "1.", "1e", "-", "0x1", "NaN",
        "\"", "\"\n\"", #""\x""#, #""\u12"#, #""\u12g4""#, #""\ud800""#, #""\ud800\u0041""#,
        #""\udc00""#, "'a'", "[1}", "{]", "1" + String(repeating: "0", count: 128),
    ])
    func whatIsNotJSONIsRefused(text: String) {
        #expect(throws: JSONFault.malformed) { try value(text) }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        #expect(throws: JSONFault.malformed) {
            try JSONDocument.decode(String.self, from: [0x22, 0xc3, 0x22])
        }
    }

    @Test func depthAndCountAreLimited() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try value(nested(16))
        #expect(throws: JSONFault.tooDeep(maximum: 16)) { try value(nested(17)) }
        #expect(throws: JSONFault.tooDeep(maximum: 16)) { try value(nested(1_000_000)) }
        let limits = JSONLimits(depth: 2, nodes: 4)
        _ = try JSONDocument(#"{"a":[1]}"#, limits: limits)
        #expect(throws: JSONFault.tooManyNodes(maximum: 4)) {
            try JSONDocument(#"{"a":[1,2]}"#, limits: limits)
        }
    }

    private struct Thing: Codable, Equatable {
        enum Colour: String, Codable { case red }
        var name: String
        var sizes: [UInt8]
        var ratio: Double?
        var colour: Colour?
        var inner: [String: [Int64?]]?
    }

    @Test func typesAreMadeOfIt() throws {
        func thing(_ text: String) throws -> Thing {
            try JSONDocument.decode(Thing.self, from: text.utf8)
        }
        #expect(
            try thing(
                #"{"name":"n","sizes":[0,255,2.0],"ratio":1,"colour":"red","inner":{"a":[1,null]}}"#
            )
                == Thing(
                    name: "n", sizes: [0, 255, 2], ratio: 1, colour: .red, inner: ["a": [1, nil]]))
        #expect(
            try thing(#"{"name":"","sizes":[],"ratio":null,"more":[{}]}"#)
                == Thing(name: "", sizes: []))
    }

    @Test(arguments: [
        (#"{"sizes":[]}"#, "keyNotFound", "name"),
        (#"{"name":1,"sizes":[]}"#, "typeMismatch", "name"),
        (#"{"name":null,"sizes":[]}"#, "valueNotFound", "name"),
        (#"{"name":"","sizes":[1,256]}"#, "dataCorrupted", "sizes.1"),
        (#"{"name":"","sizes":[1,1.5]}"#, "dataCorrupted", "sizes.1"),
        (#"{"name":"","sizes":{}}"#, "typeMismatch", "sizes"),
        (#"{"name":"","sizes":[],"ratio":1e999}"#, "dataCorrupted", "ratio"),
        (#"{"name":"","sizes":[],"colour":"pink"}"#, "dataCorrupted", "colour"),
        (#"{"name":"","sizes":[],"inner":{"a":[1,"x"]}}"#, "typeMismatch", "inner.a.1"),
        ("[]", "typeMismatch", ""), ("null", "valueNotFound", ""),
    ])
    func errorsNameThePlace(text: String, kind: String, place: String) throws {
        let error = try #require(throws: DecodingError.self) {
            try JSONDocument.decode(Thing.self, from: text.utf8)
        }
        let (found, path): (String, [any CodingKey]) =
            switch error {
            case .keyNotFound(let key, let context): ("keyNotFound", context.codingPath + [key])
            case .typeMismatch(_, let context): ("typeMismatch", context.codingPath)
            case .valueNotFound(_, let context): ("valueNotFound", context.codingPath)
            case .dataCorrupted(let context): ("dataCorrupted", context.codingPath)
            @unknown default: ("", [])
            }
        #expect(found == kind)
        #expect(
            path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
                == place)
    }

    @Test func whatIsCarriedKeepsItsBytes() throws {
        struct QueuedText: Decodable { var body: OpaqueJSON }
        let text = #"{"z" : [1.0, "\u00e9"],"a":null}"#
        let letter = try JSONDocument.decode(QueuedText.self, from: #"{"body": \#(text) }"#.utf8)
        #expect(letter.body.text == text)
        #expect(throws: DecodingError.self) {
            try JSONDocument.decode(QueuedText.self, from: #"{"body":[1e999]}"#.utf8)
        }
        let words = "\u{0}\u{1f}\"\\/é😀\n\u{7f}"
        #expect(try value(OpaqueJSON(string: words).text) == .string(words))
    }

    /// The worst input of each kind that fits into a frame: reading it, and building all of it,
    /// takes time proportional to its length.
    @Test(arguments: [
        ("[[[[[[[[[[[[[[]]]]]]]]]]]]]]", 0), ("1", 0), (#""\u0041\ud83d\ude00""#, 0),
        (#"{"a":{}}"#, 0),
        (#"":1"#, 1), ("1234567890.5e-10", 0), (#"\u0041"#, 2), (" ", 2),
    ])
    func costGrowsWithTheLength(piece: String, form: Int) throws {
        func text(_ count: Int) -> String {
            switch form {
            case 0: "[" + Array(repeating: piece, count: count).joined(separator: ",") + "]"
            // An object with this many members.
            case 1: "{" + (0..<count).map { "\"k\($0)\(piece)" }.joined(separator: ",") + "}"
            // One text, or blanks.
            default:
                piece == " "
                    ? String(repeating: piece, count: 8 * count) + "1"
                    : "\"" + String(repeating: piece, count: 4 * count) + "\""
            }
        }
        let growth = try Growth.of(2000, text) { text in
            _ = try JSONDocument(text, limits: .own).root.decode(JSONValue.self)
        }
        #expect(growth < Growth.tolerated)
    }

    @Test func membersAreFoundWithoutLookingThroughAllOfThem() throws {
        let growth = try Growth.of(2000) { count in
            "{" + (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        } body: { text in
            _ = try JSONDocument(text, limits: .own).root.decode([String: Int].self)
        }
        #expect(growth < Growth.tolerated)
    }
}
