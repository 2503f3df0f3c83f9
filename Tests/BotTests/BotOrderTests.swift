import Recording
import Stage
import Testing

@testable import Bot

/// The lines in which a parent tells its bot what to do.
@Suite struct BotOrderTests {
    @Test func rolesAreASetOrEverybody() {
        #expect(
            BotOrder(line: #"audio {"roles":["host","guest"]}"#) == .roles(["guest", "host"]))
        #expect(BotOrder(line: #"audio {"roles":[]}"#) == .roles([]))
        #expect(BotOrder(line: #"audio {"roles":null}"#) == .roles(nil))
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
        "metadata {}", #"metadata {"number":3}"#,
        "recording", "recording {}", #"recording {"paused":1}"#,
        "", "audio", "audio ", "audio []", #"audio {"roles":"host"}"#, #"audio {"roles":[1]}"#,
        #"layout {"gap":"wide"}"#, "layout {", "paint {}", #"AUDIO {"roles":null}"#,
    ])
    func aLineThatIsNoOrderIsNone(line: String) {
        #expect(BotOrder(line: line) == nil)
    }
}
