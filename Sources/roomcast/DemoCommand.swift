import ArgumentParser
import ControlAPI
import Foundation
import Logging
import MediaKernel
import Service
import Streams
import WebPage

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "The server, three participants and a stream of their room, for a first look.",
        discussion: """
            The variable PUSH names places to push the stream to, with spaces between them: \
            rtmp://host/application/key. There is no option for it, since anybody on the machine \
            can read a process's arguments.
            """)

    @OptionGroup var options: SettingsOptions

    @Option(
        help: """
            The directory with ann.webm, ben.webm and cleo.webm, and slides.webm if Ann is to \
            share them; by default the drawn people that come with Roomcast.
            """)
    var media: String?

    @Flag(help: "Record it: an MP4 of each layer and the VOD as a zip.")
    var record = false

    @Flag(help: "Record its tracks: a file of each, as it came, their index and a zip.")
    var tracks = false
    @Option(help: "Stream this web page, shown by a browser, in place of the room.")
    var view: String?

    @Argument(help: "Seconds after which the stream is stopped; without it Ctrl-C does.")
    var duration: Double?

    func validate() throws {
        guard let duration else { return }
        guard duration > 0, duration <= 86_400 else {
            throw ValidationError("the duration is above 0 and at most a day, in seconds")
        }
    }

    private static func outputs(_ text: String) throws -> [PushTarget] {
        do {
            return try text.split(separator: " ").map { try PushTarget(String($0)) }
        } catch let fault as PushTargetFault {
            throw ValidationError("PUSH: an address \(fault)")
        }
    }

    func run() async throws {
        FileAccess.narrow()
        var settings = try await options.input.explaining { try Settings($0) }
        DemoFolder.choose(in: &settings)
        let outputs = try Self.outputs(ProcessInfo.processInfo.environment["PUSH"] ?? "")
        ServerSecrets.keep()
        // The output is for people; the log only has warnings and errors, unless the settings
        // change the level.
        let level = settings.log.level == Settings().log.level ? .warning : settings.log.level
        let log = LogRing()
        let logger = Logger.roomcast(
            "roomcast.demo", level: LogLevel(level), format: settings.log.format,
            copy: log.take)
        settings.stream.log.level = level.rawValue
        if let view {
            guard let page = WebAddress(view) else {
                throw ValidationError("'\(view)' is not an http or https URL")
            }
            guard BrowserProgram.path != nil else {
                throw ValidationError(BrowserProgram.lack)
            }
            settings.stream.customView.isEnabled = true
            let host = page.port.map { "\(page.host):\($0)" } ?? page.host
            settings.stream.customView.hosts = WebHosts([host], allowsHTTP: true) ?? WebHosts()
        }
        let demo = Demo(
            settings: settings, mediaDirectory: media ?? DemoPeople.directory,
            duration: duration.map { .seconds($0) }, isRecorded: record,
            tracksAreRecorded: tracks, outputs: outputs, view: view,
            shown: SettingsTable(options.input), log: log, logger: logger)
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
