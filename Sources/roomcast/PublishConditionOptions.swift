public import ArgumentParser
import MediaClient
public import Publisher

/// Faults of a publisher and its network, for tests of servers and streams.
struct PublishConditionOptions: ParsableArguments {
    @Option(help: "Per cent of the packets sent that are lost.")
    var loss = 0.0

    @Option(help: "Milliseconds by which packets are delayed at random, in order.")
    var jitter = 0

    @Option(help: "Per cent of the packets sent that are overtaken by those behind them.")
    var reorder = 0.0

    @Option(help: "Equal seeds lose and delay alike.")
    var seed: UInt64 = 1

    @Option(
        parsing: .unconditional,
        help: "How much faster than real time the publisher's clock runs, in millionths.")
    var clockSkew = 0

    @Option(help: "Sender reports.")
    var senderReports = SenderReports.regular

    @Flag(help: "Begin with sequence numbers and timestamps that wrap within seconds.")
    var wrapSoon = false

    @Flag(help: "Send nothing while it is silent, but for a sign of life.")
    var dtx = false

    @Flag(help: "Let the file's position follow the wall clock: equal files show the same at once.")
    var byTheClock = false

    @Option(
        help: ArgumentHelp(
            """
            What to do SECONDS after the start: mute-audio, mute-video, unmute-audio, \
            unmute-video, unpublish, publish, break=SECONDS, play=FILE, rotate=DEGREES or \
            layers=NUMBER. Can be given several times.
            """, valueName: "seconds:action"),
        transform: Script.Step.init(parsing:))
    var at: [Script.Step] = []

    func validate() throws {
        for (name, value) in [("loss", loss), ("reorder", reorder)]
        where !(0...100).contains(value) {
            throw ValidationError("--\(name) is 0 to 100 per cent")
        }
        guard 0...10_000 ~= jitter else { throw ValidationError("--jitter is at most 10 s") }
        guard PublisherConditions.clockSkews.contains(clockSkew) else {
            throw ValidationError("--clock-skew is at most 100,000 millionths either way")
        }
    }

    func conditions() -> PublisherConditions {
        PublisherConditions(
            network: .init(
                loss: loss / 100, jitter: .milliseconds(jitter), reordering: reorder / 100,
                seed: seed),
            clockSkew: clockSkew, senderReports: senderReports, wrapsSoon: wrapSoon, usesDTX: dtx,
            followsWallClock: byTheClock, script: Script(at))
    }
}

extension SenderReports: ExpressibleByArgument {}
