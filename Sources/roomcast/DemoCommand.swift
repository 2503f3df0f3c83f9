import ArgumentParser
import Logging
import Service

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "The server, three participants and a stream of their room, for a first look.")

    @Option(help: "A JSON file with settings.")
    var configuration: String?

    @Option(help: "The directory with ann.webm, ben.webm and cleo.webm.")
    var media = "fixtures/media"

    @Flag(help: "Record it: an MP4 of each layer and the VOD as a zip.")
    var record = false

    @Argument(help: "Seconds after which the stream is stopped; without it Ctrl-C does.")
    var duration: Double?

    func validate() throws {
        guard let duration else { return }
        guard duration > 0, duration <= 86_400 else {
            throw ValidationError("the duration is above 0 and at most a day, in seconds")
        }
    }

    func run() async throws {
        FileAccess.narrow()
        var settings = try Settings(file: configuration)
        ServerSecrets.keep()
        // The output is for people; the log only has warnings and errors, unless the settings
        // change the level.
        let level = settings.log.level == Settings().log.level ? .warning : settings.log.level
        let logger = Logger.roomcast("roomcast.demo", level: level, format: settings.log.format)
        settings.stream.log.level = level.rawValue
        let demo = Demo(
            settings: settings, mediaDirectory: media,
            duration: duration.map { .seconds($0) }, isRecorded: record, logger: logger)
        let signals = StopSignals()
        do {
            let result = try await demo.run(interrupted: signals.reasons)
            if let result { print(try result.line()) }
        } catch {
            StandardError.write("roomcast demo: \(error)\n")
            throw ExitCode.failure
        }
    }
}
