import MediaKernel
import Testing

@testable import WebPage

/// What comes from the browser's pipe.
@Suite struct DevToolsTests {
    @Test func messagesEndWithAZeroByteHoweverTheyArrive() {
        let bytes = Array("{\"id\":1}\0{\"id\":2}\0{\"id\":3}".utf8)
        for cut in 0...bytes.count {
            var framer = DevToolsFramer()
            let found = framer.append(bytes[..<cut]) + framer.append(bytes[cut...])
            #expect(
                found.map { String(decoding: $0, as: UTF8.self) } == ["{\"id\":1}", "{\"id\":2}"])
        }
    }

    @Test func aMessageBeyondTheLimitIsLeftOutAndTheNextIsRead() {
        var framer = DevToolsFramer(bytesMaximum: 8)
        #expect(framer.append(Array("12345678".utf8)).isEmpty)
        #expect(framer.append(Array("9".utf8)).isEmpty)
        #expect(framer.append(Array("0\0ab\0".utf8)) == [Array("ab".utf8)])
        #expect(framer.append(Array("123456789\0cd\0".utf8)) == [Array("cd".utf8)])
        #expect(framer.append(Array("12345678\0".utf8)) == [Array("12345678".utf8)])
    }

    @Test func aMessageIsAnAnswerOrAnEvent() {
        func read(_ text: String) -> DevToolsMessage? { DevToolsMessage(Array(text.utf8)) }
        #expect(
            read(#"{"id":4,"result":{"targetId":"A"}}"#)
                == .result(id: 4, .object(["targetId": "A"])))
        #expect(
            read(#"{"id":4,"error":{"code":-32000,"message":"no"}}"#) == .refusal(id: 4, "no"))
        #expect(
            read(#"{"method":"Page.x","sessionId":"S","params":{"a":1}}"#)
                == .event(
                    DevToolsEvent(
                        method: "Page.x", session: "S",
                        parameters: .object(["a": .integer(1)]))))
        for text in ["", "{", "[]", "{}", "7", #"{"method":7}"#] { #expect(read(text) == nil) }
    }

    @Test func noBytesTrapTheReader() {
        var random = SeededRandom(seed: 7)
        let seed = Array(#"{"method":"Page.x","sessionId":"S","params":{"a":[1,"b"]}}"#.utf8)
        for _ in 0..<5000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            var framer = DevToolsFramer(bytesMaximum: 64)
            for message in framer.append(bytes + [0]) { _ = DevToolsMessage(message) }
        }
    }

    @Test func aCommandNamesItsSession() throws {
        let bytes = DevToolsMessage.command(id: 3, "Page.enable", ["x": .bool(true)], session: "S")
        #expect(bytes.last == 0)
        let value = try JSONDocument.decode(JSONValue.self, from: bytes.dropLast())
        #expect(
            value
                == .object([
                    "id": .integer(3), "method": "Page.enable", "sessionId": "S",
                    "params": .object(["x": .bool(true)]),
                ]))
    }
}

/// Small parts.
@Suite struct WebPagePartsTests {
    @Test(arguments: [
        (
            "https://x.app.100ms.live/meeting/abc",
            "https://x.app.100ms.live/meeting/abc?skip_preview=true"
        ),
        (
            "https://x.org/preview/abc?auth_token=t#f",
            "https://x.org/preview/abc?auth_token=t&skip_preview=true#f"
        ),
        (
            "https://x.org/meeting/abc?skip_preview=false",
            "https://x.org/meeting/abc?skip_preview=false"
        ),
        ("https://x.org/meeting/", "https://x.org/meeting/"),
        ("https://x.org/board?a=1#b", "https://x.org/board?a=1#b"),
    ])
    func aRoomPageOf100msFormIsToldToJoinAtOnce(given: String, opened: String) throws {
        #expect(PageURL.opened(try #require(WebAddress(given))) == opened)
    }

    @Test(arguments: [
        BrowserReport.unconfined("user namespaces are not allowed"), .overweight(megabytes: 2100),
        .ended(status: 255),
    ])
    func theKeepersReportsAreLines(report: BrowserReport) {
        #expect(BrowserReport(line: report.line) == report)
    }

    @Test(arguments: ["", "ended", "ended x", "overweight", "other 1"])
    func otherLinesAreNone(line: String) { #expect(BrowserReport(line: line) == nil) }

    @Test func theProcessWithThePagesCodeIsEndedFirst() {
        func entry(_ process: Int32, _ memory: Int) -> ProcessTree.Entry {
            ProcessTree.Entry(process: process, memory: memory)
        }
        let tree = ProcessTree(entries: [entry(1, 900), entry(2, 300), entry(3, 400)])
        #expect(tree.memory == 1600)
        #expect(tree.heaviest { $0 > 1 } == 3)
        #expect(tree.heaviest { _ in false } == 1, "without a page it is the browser itself")
        #expect(ProcessTree(entries: []).heaviest { _ in true } == nil)
        #expect(
            ProcessTree.number(
                after: "RssAnon:", in: Array("Name:\tx\nRssAnon:\t    512 kB\n".utf8)) == 512)
        #expect(ProcessTree.number(after: "RssAnon:", in: Array("RssAnon:".utf8)) == nil)
    }

    @Test(arguments: [(1280, 1), (500, 1), (498, 2), (320, 2), (160, 4), (2, 250)])
    func aSmallPictureIsThatOfALargerView(width: Int, zoom: Int) {
        #expect(PageBrowser.zoom(width: width) == zoom)
    }

    @Test func theBrowserKnowsOnlyTheGuard() {
        let arguments = BrowserProgram.arguments(
            profile: "/tmp/p", proxyPort: 4711, stageKey: "k", hasSandbox: true)
        #expect(arguments.contains("--proxy-server=http://127.0.0.1:4711"))
        #expect(arguments.contains("--proxy-bypass-list=<-loopback>"))
        #expect(arguments.contains("--disable-quic") && !arguments.contains("--no-sandbox"))
    }
}
