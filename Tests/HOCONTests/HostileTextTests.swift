import MediaKernel
import Testing
import Workbench

@testable import HOCON

@Suite struct HostileTextTests {
    static let text = """
        // A comment
        jibri { id = "é-1", api.http { external-api-port = 2222 }
          list = [ "a", b c
            ${?HOME} ], text = \"\"\"raw "x\"\"\", more = ${jibri.list} [ 3 ]
          list += { a.b : null }
        }
        jibri.id = ${jibri.id}x # again
        """

    private func read(_ text: String) throws(HOCONFault) -> HOCONValue {
        try HOCONDocumentTests.read(text, environment: ["HOME": "/root"])
    }

    @Test func aTextThatIsCutOffIsReadOrRefused() throws {
        let scalars = Array(Self.text.unicodeScalars)
        #expect(try HOCONDocumentTests.json(read(Self.text)).hasPrefix("{jibri:{api:"))
        var refused = 0
        for cut in scalars.indices {
            var head = String.UnicodeScalarView()
            head.append(contentsOf: scalars[..<cut])
            do throws(HOCONFault) { _ = try read(String(head)) } catch { refused += 1 }
        }
        #expect(refused > 100)
    }

    @Test func changedCharactersAreReadOrRefused() {
        let bytes = Array(Self.text.utf8)
        let letters = Array("{}[]\"$=:,.+#\n\\ ax".utf8)
        var random = SeededRandom(seed: 7)
        var refused = 0
        for _ in 0..<4000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: changed.indices, using: &random)
                changed[index] = letters.randomElement(using: &random) ?? 0
            }
            let text = String(decoding: changed, as: UTF8.self)
            do throws(HOCONFault) { _ = try read(text) } catch { refused += 1 }
        }
        #expect(refused > 1000)
    }

    @Test func eachLimitHoldsExactly() throws {
        var limits = HOCONLimits()
        limits.bytes = 40
        limits.depth = 3
        limits.values = 8
        limits.copies = 10
        limits.steps = 5
        for (right, wrong) in [
            (
                "a = " + String(repeating: "x", count: 36),
                "a = " + String(repeating: "x", count: 37)
            ),
            ("a = [[1]]", "a = [[[1]]]"), ("a { b { c = 1 } }", "a { b { c { d = 1 } } }"),
            ("a.b.c = 1", "a.b.c.d = 1"), ("a { b = [1] }", "a { b.c = [1] }"),
            ("a = ${?a.b.c}", "a = ${?a.b.c.d}"),
            ("a=1,b=2,c=3,d=4", "a=1,b=2,c=3,d=4,e=5"),
            ("a=12345678,b=${a}", "a=1234567890,b=${a}"),
            ("a=${b},b=${c},c=[0]", "a=${b},b=${c},c=${d},d=[[0]]"),
        ] {
            _ = try HOCONDocumentTests.read(right, limits: limits)
            #expect(throws: HOCONFault.self, "\(wrong)") {
                try HOCONDocumentTests.read(wrong, limits: limits)
            }
        }
    }

    @Test func substitutionsThatMultiplyAreRefusedSoon() {
        for joint in ["${a#}${a#}", "[ ${a#}, ${a#} ]", "{ x = ${a#}, y = ${a#} }"] {
            let lines = (1...40).map { level in
                "a\(level) = " + joint.replacing("#", with: "\(level - 1)")
            }
            #expect(throws: HOCONFault.self, "\(joint)") {
                try read((["a0 = laughter"] + lines).joined(separator: "\n"))
            }
        }
    }

    @Test func valuesThatGrowDeeperAreRefused() {
        let lines = (1...500).map { "a\(1000 + $0) = [[[[[[ ${a\(999 + $0)} ]]]]]]" }
        let fault = #expect(throws: HOCONFault.self) {
            try read((["a1000 = 1"] + lines).joined(separator: "\n"))
        }
        #expect(fault?.what == "values more than 128 deep")
        // In the order of the names, each leads to the next before it has a value.
        let chain = (0..<500).map { "a\(1000 + $0) = ${a\(1001 + $0)}" } + ["a1500 = 1"]
        #expect(throws: HOCONFault.self) { try read(chain.joined(separator: "\n")) }
    }

    @Test(arguments: [
        "a# = 1\n", "a = [ 1, ${?x} ]\n", "a.b { c = \"x\" }\n", "# comment\n", "a = x y z\n",
        "b# = ${?HOME}\n", "\\\"", "a = ${?x}\n",
    ])
    func theCostGrowsWithTheText(line: String) throws {
        let growth = Growth.of(100) { count in
            let text = (0..<count).map { line.replacing("#", with: "\($0)") }.joined()
            return line == "\\\"" ? "a = \"" + text + "\"" : text
        } body: {
            _ = try? self.read($0)
        }
        #expect(growth < Growth.tolerated)
    }
}
