import RTP
import Testing

@testable import Publisher

@Suite struct ScriptTests {
    @Test(arguments: [
        ("0:mute-audio", Script.Action.mute(isVideo: false)),
        ("1.5:mute-video", .mute(isVideo: true)),
        ("2:unmute-audio", .unmute(isVideo: false)),
        ("2:unmute-video", .unmute(isVideo: true)),
        ("3:unpublish", .unpublish),
        ("3:publish", .publish),
        ("10:break=2.5", .interrupt(.milliseconds(2500))),
        ("4:play=some/file:with=signs.webm", .play(path: "some/file:with=signs.webm")),
        ("5:rotate=270", .rotate(.clockwise270)),
        ("6:layers=1", .layers(1)),
        ("6:layers=3", .layers(3)),
    ])
    func aStepIsRead(text: String, action: Script.Action) throws {
        let step = try Script.Step(parsing: text)
        #expect(step.action == action)
        #expect("\(step.action)" == text.drop { $0 != ":" }.dropFirst())
        let seconds = text.prefix { $0 != ":" }
        #expect(step.time == .milliseconds(Int64((Double(seconds) ?? -1) * 1000)))
    }

    @Test(arguments: [
        "", "mute-audio", ":mute-audio", "x:mute-audio", "-1:mute-audio", "1:", "1:dance",
        "1:break", "1:break=", "1:break=x", "1:break=-1", "1:rotate=45", "1:play",
        "1:layers", "1:layers=0", "1:layers=4", "1:layers=x",
        "1:mute-audio=2", "99999999:unpublish", "nan:unpublish",
    ])
    func whatIsNoStepIsRefused(text: String) {
        #expect(throws: PublisherError.badStep(text)) { try Script.Step(parsing: text) }
    }

    @Test func stepsComeInTheOrderOfTheirTimesAndEachOnce() throws {
        var script = Script([
            Script.Step(time: .seconds(5), action: .publish),
            Script.Step(time: .seconds(2), action: .unpublish),
            Script.Step(time: .seconds(5), action: .mute(isVideo: true)),
        ])
        #expect(script.next(at: .seconds(1)) == nil)
        #expect(script.next(at: .seconds(6))?.action == .unpublish)
        #expect(script.next(at: .seconds(6))?.action == .publish)
        #expect(script.next(at: .seconds(6))?.action == .mute(isVideo: true))
        #expect(script.next(at: .seconds(6)) == nil)
    }

    @Test func filesThatArePlayedLaterAreKnownBefore() throws {
        let steps = try ["9:play=b.webm", "3:play=a.webm"].map { try Script.Step(parsing: $0) }
        #expect(Script(steps).paths == ["a.webm", "b.webm"])
    }
}
