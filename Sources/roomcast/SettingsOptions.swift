import ArgumentParser
import Service

/// Where a command's settings come from.
struct SettingsOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("config")], help: "A JSON file with settings.")
    var configuration: String?

    var input: SettingsInput { SettingsInput(file: configuration) }
}

/// Those of a command that serves.
struct ServingOptions: ParsableArguments {
    @OptionGroup var file: SettingsOptions

    @Option(help: "The address to listen on for HTTP (http.host).")
    var host: String?

    @Option(help: "The port for HTTP (http.port).")
    var port: Int?

    @Option(help: "The port for media (udp.port).")
    var udpPort: Int?

    @Option(
        help: "The directory of streams and recordings (output.directory, recordings.directory).")
    var directory: String?

    var input: SettingsInput {
        var input = file.input
        input.give(host: host, port: port, udpPort: udpPort, directory: directory)
        return input
    }
}

extension SettingsInput {
    /// Errors of the settings get the place of what is wrong.
    func explaining<Result>(
        _ body: (SettingsInput) async throws -> Result
    ) async throws -> Result {
        do { return try await body(self) } catch { throw explained(error) }
    }
}
