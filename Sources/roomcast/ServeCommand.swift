import ArgumentParser
import Foundation
import Logging
import Service

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Rooms, streams, HTTP and pages, until it is stopped by a signal.",
        discussion: "Settings come from the file and from ROOMCAST_… (docs/CONFIGURATION.md).")

    @Option(help: "A JSON file with settings.")
    var configuration: String?

    func run() async throws {
        FileAccess.narrow()
        let settings = try Settings(file: configuration)
        ServerSecrets.keep()
        let logger = Logger.roomcast(
            "roomcast", level: settings.log.level, format: settings.log.format)
        let server = try await RoomcastServer(settings: settings, logger: logger)
        try await server.run { server.logListening(on: $0) }
    }
}

/// This program's file, for starting it in another role.
enum Executable {
    /// The file itself, however it was called.
    static var path: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }
}
