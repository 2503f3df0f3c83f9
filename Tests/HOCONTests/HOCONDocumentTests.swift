import MediaKernel
import Testing
import Workbench

@testable import HOCON

@Suite struct HOCONDocumentTests {
    static func read(
        _ text: String, environment: [String: String] = [:], limits: HOCONLimits = HOCONLimits()
    ) throws(HOCONFault) -> HOCONValue {
        try HOCONDocument(text, source: "x", environment: environment, limits: limits).root
    }

    /// The value as JSON with its keys in order, all single values but null as texts.
    static func json(_ value: HOCONValue) -> String {
        switch value.content {
        case .null: "null"
        case .text(let text): "'\(text)'"
        case .list(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\($0.key):\(json($0.value))" }
                .joined(separator: ",") + "}"
        }
    }

    @Test(arguments: [
        // Syntax: https://github.com/lightbend/config/blob/main/HOCON.md
        ("", "{}"), ("{}", "{}"), ("  # nothing\n// at all\n", "{}"), ("\u{FEFF}a=1", "{a:'1'}"),
        ("a = 1\nb: 2\nc { d = 3 }", "{a:'1',b:'2',c:{d:'3'}}"),
        ("{ \"a\": 1, \"b\": [true, null, \"x\"], }", "{a:'1',b:['true',null,'x']}"),
        ("a=1,b=2\n,c=3", "{a:'1',b:'2',c:'3'}"), ("a = 1 # one\nb = 2 // two", "{a:'1',b:'2'}"),
        ("a\t=\r\n  1\r\nb = 2\r\n", "{a:'1',b:'2'}"), ("a =\n # why\n 1", "{a:'1'}"),
        ("a.b.c = 1\na.b.d = 2", "{a:{b:{c:'1',d:'2'}}}"),
        ("\"a.b\".c = 1\n\"\" = 2", "{:'2',a.b:{c:'1'}}"), ("a b = 1", "{a b:'1'}"),
        ("a.b { c = 1 }\na { b.c = 2 }", "{a:{b:{c:'2'}}}"),
        ("10.0 = 1", "{10:{0:'1'}}"),
        ("include = 1\nincluded { a = 1 }", "{include:'1',included:{a:'1'}}"),
        ("a = one two\t three ", "{a:'one two\t three'}"), ("a = /x/y.sh", "{a:'/x/y.sh'}"),
        ("a = x//y", "{a:'x'}"), ("a = 3 minutes, b = 5s", "{a:'3 minutes',b:'5s'}"),
        ("a = \"x\" y 'z'", "{a:'x y 'z''}"),
        ("a = \"x\\n\\u00e9\\ud83d\\ude00\\\"\"", "{a:'x\né😀\"'}"),
        ("a = \"\"\"x \"y\"\\n\n z\"\"\"\"", "{a:'x \"y\"\\n\n z\"'}"),
        ("a = \"\"\nb = 1", "{a:'',b:'1'}"),
        ("a = [ 1\n 2, 3\n\n , 4\n]", "{a:['1','2','3','4']}"),
        ("a = [ [1], { b = 2 } ]", "{a:[['1'],{b:'2'}]}"),
        ("a = [ # c\n 1 // d\n # e\n ]", "{a:['1']}"), ("a = [1] [2, 3]", "{a:['1','2','3']}"),
        ("a = { b = 1 } { c = 2 }", "{a:{b:'1',c:'2'}}"),
        ("a { b = 1 } { c = 2 }", "{a:{b:'1',c:'2'}}"),
        ("a = nullx\nb = null", "{a:'nullx',b:null}"), ("a = \"null\"", "{a:'null'}"),
        ("a = 1\u{A0}\u{A0}", "{a:'1'}"),
        // Later wins, objects merge.
        ("a = 1\na = 2", "{a:'2'}"), ("a { b = 1 }\na { c = 2 }", "{a:{b:'1',c:'2'}}"),
        ("a { b = 1 }\na = 2\na { c = 3 }", "{a:{c:'3'}}"), ("a = [1]\na = [2]", "{a:['2']}"),
        ("a { b { c = 1, d = 2 } }\na.b { c = 3 }", "{a:{b:{c:'3',d:'2'}}}"),
        ("a { b = 1 }\na = null", "{a:null}"),
        // Substitutions.
        ("a = 1\nb = ${a}", "{a:'1',b:'1'}"), ("b = ${a}\na = 1", "{a:'1',b:'1'}"),
        ("b = ${a}\na = 1\na = 2", "{a:'2',b:'2'}"), ("a = ${?x}\nb = 1", "{b:'1'}"),
        ("a = 1\na = ${?x}", "{a:'1'}"), ("a = 1\na = ${?HOME}", "{a:'/root'}"),
        ("a = \"x-\"${HOME}\"/y\"", "{a:'x-/root/y'}"), ("a = ${?x} y", "{a:' y'}"),
        ("a = [ ${?x}, 1, ${HOME} ]", "{a:['1','/root']}"),
        ("a.b = 1\nc = ${a.b}${a.b}", "{a:{b:'1'},c:'11'}"),
        ("a { b = 1, c = ${a.b} }", "{a:{b:'1',c:'1'}}"),
        ("a = [1]\na = ${a} [2]", "{a:['1','2']}"),
        ("a = x\na = ${a}y", "{a:'xy'}"),
        ("a = ${b} { c = 2 }\nb { c = 1, d = 1 }", "{a:{c:'2',d:'1'},b:{c:'1',d:'1'}}"),
        (
            "b { c = 1, d = 1 }\na = ${b}\na { c = 2 }\ne = ${a.d}${a.c}",
            "{a:{c:'2',d:'1'},b:{c:'1',d:'1'},e:'12'}"
        ),
        ("b { d = 1 }\na = ${b}\na { c = ${a.d} }", "{a:{c:'1',d:'1'},b:{d:'1'}}"),
        ("a += 1\na += 2", "{a:['1','2']}"),
        ("a { b = [1] }\na.b += { c = 2 }", "{a:{b:['1',{c:'2'}]}}"),
        ("a = ${?x} { b = 1 }", "{a:{b:'1'}}"), ("a = ${x}\na = 1", "{a:'1'}"),
        ("a.b.c = 1\nd = ${a} { b.c = 2 }", "{a:{b:{c:'1'}},d:{b:{c:'2'}}}"),
        ("a = ${ b }\nb = 1", "{a:'1',b:'1'}"), ("a = ${\"b.c\"}\n\"b.c\" = 1", "{a:'1',b.c:'1'}"),
        ("a = null\na = ${a} x", "{a:'null x'}"),
    ])
    func whatIsWritten(text: String, means: String) throws {
        #expect(try Self.json(Self.read(text, environment: ["HOME": "/root"])) == means)
    }

    @Test(arguments: [
        ("a", "x:1:2: the end of the file after a key, where '=', ':' or '{' belongs"),
        ("a b\nc = 1", "x:1:4: the end of the line after a key, where '=', ':' or '{' belongs"),
        ("a = ", "x:1:5: the end of the file where a value belongs"),
        ("a = }", "x:1:5: '}' where a value belongs"),
        ("a = b = c", "x:1:7: '=' in a value: it needs quotes, or a value before is missing"),
        ("a = é@b", "x:1:6: '@' in a value: it needs quotes, or a value before is missing"),
        ("= 1", "x:1:1: '=' where a name belongs"), ("a..b = 1", "x:1:3: '.' where a name belongs"),
        (".a = 1", "x:1:1: '.' where a name belongs"),
        ("a. = 1", "x:1:4: '=' where a name belongs"),
        ("{ a = 1", "x:1:1: a '{' that is not closed"),
        ("a {\n  b = [1,\n", "x:2:7: a '[' that is not closed"),
        ("a = 1 }", "x:1:7: '}' where a comma or the end of the line belongs"),
        ("{ a = 1 } b", "x:1:11: 'b' after the end of the outermost object"),
        ("[1]", "x:1:1: a list in place of keys"), ("a = 1\n}", "x:2:1: '}' where a name belongs"),
        ("a = [1,,2]", "x:1:8: ',' where a value belongs"),
        (",a = 1", "x:1:1: ',' where a name belongs"),
        ("a = [1}", "x:1:7: '}' where a comma or the end of the line belongs"),
        ("a = \"b\nc = 1", "x:1:5: a text whose quote is not closed on its line"),
        ("\n\na = \"b", "x:3:5: a text whose quote is not closed"),
        ("a = \"\"\"b\"\"", "x:1:5: a text whose three quotes are not closed"),
        ("a = \"\\x\"", "x:1:6: a '\\' that stands for no character"),
        ("a = \"\\ud83d\"", "x:1:6: a '\\' that stands for no character"),
        ("a = \"\\u12\"", "x:1:6: a '\\u' without four digits"),
        ("a = \"\\", "x:1:6: a '\\' at the end"),
        ("a = $b", "x:1:5: a '$' without '{' after it"),
        ("a = ${b", "x:1:5: a '${' that is not closed"),
        ("a = ${}", "x:1:7: '}' where a name belongs"),
        ("a = [ { b += 1 } ]", "x:1:11: '+=' within a list"),
        (
            "a = 1\nb = ${c}",
            "x:2:5: '${c}' is defined neither before it nor in the environment, or leads back to itself"
        ),
        (
            "a = ${a}",
            "x:1:5: '${a}' is defined neither before it nor in the environment, or leads back to itself"
        ),
        (
            "a = ${b}\nb = ${a}",
            "x:2:5: '${a}' is defined neither before it nor in the environment, or leads back to itself"
        ),
        (
            "a { b = ${a} }",
            "x:1:9: '${a}' is defined neither before it nor in the environment, or leads back to itself"
        ),
        ("a = [1] x", "x:1:9: a list joined with a text"),
        ("a = { } [1]", "x:1:9: an object joined with a list"),
        ("a = 1\na += 2", "x:2:6: a text joined with a list"),
        ("a = 1\ninclude \"b.conf\"", "x:2:1: an include, which this text cannot have"),
    ])
    func whatIsWrongIsSaidWithItsPlace(text: String, message: String) {
        let fault = #expect(throws: HOCONFault.self) { try Self.read(text) }
        #expect(fault?.description == message)
    }

    @Test func valuesKnowTheirPlaces() throws {
        let root = try Self.read("a = 1\nb {\n  é = [\n    x\n  ]\n}")
        #expect(root.at(["a"])?.place == HOCONPlace(source: "x", line: 1, column: 5))
        #expect(
            root.at(["b", "é"])?.list?.first?.place == HOCONPlace(source: "x", line: 4, column: 5))
        #expect(root.at(["b", "c"]) == nil && root.at(["a", "c"]) == nil)
    }

    @Test(arguments: [
        ("0", 0), ("1500", 1_500), ("3 minutes", 180_000), ("30 seconds", 30_000),
        ("1.5 hours", 5_400_000),
        ("10ms", 10), ("1 d", 86_400_000), ("2000 us", 2), ("-1s", -1_000), (" 5  s ", 5_000),
    ])
    func aDurationHasAUnitOrIsInMilliseconds(text: String, milliseconds: Int64) throws {
        let value = try Self.read("a = \"\(text)\"").at(["a"])
        #expect(value?.duration == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "s", "3 fortnights", "1 s s", "x", "1.2.3 s", "1e99", "99999999999999 d", "[]", "٣ s",
    ])
    func whatIsNoDurationIsNone(text: String) throws {
        #expect(try Self.read("a = \"\(text)\"").at(["a"])?.duration == nil)
    }

    @Test func flagsAndNumbersAreTextsThatReadAsSuch() throws {
        let root = try Self.read("a = yes, b = \"false\", c = \"5222\", d = 5.5, e = [1], f = null")
        #expect(root.at(["a"])?.flag == true && root.at(["b"])?.flag == false)
        #expect(root.at(["c"])?.integer == 5222 && root.at(["c"])?.flag == nil)
        #expect(root.at(["d"])?.integer == nil && root.at(["e"])?.text == nil)
        #expect(root.at(["f"])?.isNull == true && root.at(["f"])?.text == nil)
    }
}
