import ArgumentParser
import Foundation
import Logging
import Service

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Rooms, streams, HTTP and pages, until it is stopped by a signal.",
        discussion: """
            Settings come from these options, which win, from ROOMCAST_…, and from the file \
            (docs/CONFIGURATION.md). `roomcast check` looks whether it would start with them, \
            `roomcast settings` prints them.
            """)

    @OptionGroup var options: ServingOptions

    func run() async throws {
        FileAccess.narrow()
        try await options.input.explaining { input in
            let settings = try Settings(input)
            ServerSecrets.keep()
            let logger = Logger.roomcast(
                "roomcast", level: settings.log.level, format: settings.log.format)
            let server = try await RoomcastServer(settings: settings, logger: logger)
            try await server.run { server.logListening(on: $0) }
        }
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
