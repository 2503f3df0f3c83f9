import ChildProcesses
import Recording
import Stage
import Streams
import Testing

/// The lines with which the server gives a bot orders.
@Suite struct BotOrderTests {
    @Test func rolesAreASetOrEverybody() {
        #expect(
            BotOrder(line: #"audio {"roles":["host","guest"]}"#) == .roles(["guest", "host"]))
        #expect(BotOrder(line: #"audio {"roles":[]}"#) == .roles([]))
        #expect(BotOrder(line: #"audio {"roles":null}"#) == .roles(nil))
    }

    @Test func theServerNamesThemInOrder() throws {
        #expect(
            try BotOrder.roles(["host", "guest"]).line() == #"audio {"roles":["guest","host"]}"#)
        #expect(try BotOrder.roles(nil).line() == #"audio {"roles":null}"#)
        #expect(
            try BotOrder.recordingPaused(true).line() == #"recording {"paused":true}"#)
    }

    @Test func aLayoutComesWhole() {
        #expect(BotOrder(line: #"layout {"gap":8}"#) == .layout(Layout(gap: 8)))
    }

    @Test func aRecordingIsPausedAndResumed() {
        #expect(BotOrder(line: #"recording {"paused":true}"#) == .recordingPaused(true))
        #expect(BotOrder(line: #"recording {"paused":false}"#) == .recordingPaused(false))
    }

    @Test func timedMetadataComesAsTheLogHasIt() {
        let fields = #""number":3,"payload":"p \"q\"","seconds":5,"start_ms":1760000000123"#
        let line = "metadata {\(fields)}"
        #expect(
            BotOrder(line: line)
                == .metadata(
                    TimedMetadata(
                        number: 3, start: 1_760_000_000_123, seconds: 5, payload: #"p "q""#)))
    }

    @Test(arguments: [
        BotOrder.layout(Layout(name: .speaker, gap: 8)), .roles(["host", "guest"]), .roles([]),
        .roles(nil), .recordingPaused(true),
        .metadata(TimedMetadata(number: 3, start: 1, seconds: 5, payload: "a\n\"b/")),
        .addOutput(
            SecretOutput(
                id: "2", layer: 1, target: try! PushTarget("rtmp://h/app/key?a=b"))),
        .removeOutput("2"), .preview(seconds: 5),
    ])
    func whatIsWrittenIsRead(order: BotOrder) throws {
        let line = try order.line()
        #expect(!line.contains("\n"))
        #expect(BotOrder(line: line) == order)
    }

    @Test(arguments: [
        "metadata {}", #"metadata {"number":3}"#,
        "preview", "preview {}", #"preview {"seconds":0}"#, #"preview {"seconds":61}"#,
        #"preview {"seconds":"5"}"#,
        "recording", "recording {}", #"recording {"paused":1}"#,
        "", "audio", "audio ", "audio []", #"audio {"roles":"host"}"#, #"audio {"roles":[1]}"#,
        #"layout {"gap":"wide"}"#, "layout {", "paint {}", #"AUDIO {"roles":null}"#,
    ])
    func aLineThatIsNoOrderIsNone(line: String) {
        #expect(BotOrder(line: line) == nil)
    }
}
