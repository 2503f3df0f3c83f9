import ArgumentParser
import Foundation
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
        try await RoomcastServer.run(options.input) { server in
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
