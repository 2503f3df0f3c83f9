import MediaKernel
import Testing

@Suite struct JSONTextTests {
    private func read(_ text: String) -> JSONValue? { JSONValue(parsing: text.utf8) }

    private func written(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.write(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (#" { "b" : [ 1 , 2.5 , -3e2 ] , "a" : { } } "#, #"{"a":{},"b":[1,2.5,-300]}"#),
        (#"[true,false,null,[],""]"#, #"[true,false,null,[],""]"#),
        (#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#, #""\"\\/\b\f\n\r\té😀""#),
        (#""\u0000\u001F\u007f""#, "\"\\u0000\\u001f\u{7F}\""),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9.223372036854776e+18"), ("-0", "0"), ("1.0", "1"),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#),
    ])
    func aTextIsReadAndWrittenInOneForm(text: String, form: String) throws {
        let value = try #require(read(text))
        #expect(written(value) == form)
        #expect(read(form) == value)
    }

    @Test(arguments: [
        "", " ", "01", "1.", ".5", "+1", "-", "1e", "tru", "nul", "[1,]", "[1 2]", "[", "{",
        #"{"a"}"#, #"{"a":1,}"#, "{a:1}", "{1:1}", "\"", "\"\u{1}\"", #""\x""#, #""\u12""#,
        #""\ud83d""#, #""\ud83d\u0041""#, #""\ude00""#, "1 2", "1e999",
    ])
    func whatIsNoJSONIsRefused(text: String) { #expect(read(text) == nil) }

    @Test func bytesThatAreNoUTF8AreRefused() {
        #expect(JSONValue(parsing: [0x22, 0xFF, 0x22]) == nil)
        #expect(JSONValue(parsing: [0x22, 0x5C, 0x6E, 0xC0, 0x80, 0x22]) == nil)
    }

    @Test func whatIsNestedTooDeepIsRefused() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
        }
        #expect(read(nested(JSONValue.depthMaximum)) != nil)
        #expect(read(nested(JSONValue.depthMaximum + 1)) == nil)
        #expect(read(String(repeating: "[", count: 1_000_000)) == nil)
    }

    @Test func whatIsNoNumberIsWrittenAsNull() {
        #expect(written(.array([.number(.infinity), .number(.nan)])) == "[null,null]")
    }

    @Test func aTextThatWasCutOrChangedNeverTraps() {
        let text = Array(#"{"a":[1.5e3,-20,"\u00e9\ud83d\ude00\n",null],"bé":{"c":true}}"#.utf8)
        for count in text.indices {
            #expect(JSONValue(parsing: text.prefix(count)) == nil, "\(count)")
        }
        var random = SeededRandom(seed: 7)
        let likely = Array(#"{}[]",:\u0e-+.19tfn "#.utf8)
        for _ in 0..<20_000 {
            var changed = text
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: changed.indices, using: &random)] =
                    likely[Int.random(in: likely.indices, using: &random)]
            }
            guard let value = JSONValue(parsing: changed) else { continue }
            #expect(read(written(value)) == value)
        }
    }
}
