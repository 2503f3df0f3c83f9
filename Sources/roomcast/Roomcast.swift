import ArgumentParser
import ControlAPI
import MediaKernel
import Service

/// The command line: one command for each role of the binary.
@main
struct Roomcast: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roomcast",
        abstract: "Streams and records video rooms.",
        version: Version.current,
        subcommands: [
            ServeCommand.self, DemoCommand.self, PublishCommand.self, TokenCommand.self,
            CheckCommand.self, SettingsCommand.self, AdminPasswordCommand.self, JibriCommand.self,
            ReindexCommand.self,
            BotCommand.self, FinishCommand.self,
            BrowserCommand.self, SpeechKeeperCommand.self,
        ])

    /// The parser names options that were meant, but no commands.
    private static func refuseUnknownCommand(_ name: String?) throws {
        guard let name, !name.hasPrefix("-") else { return }
        let commands = configuration.subcommands.map { $0.configuration }
        guard name != "help", !commands.contains(where: { $0.commandName == name }) else { return }
        let shown = commands.filter(\.shouldDisplay).compactMap(\.commandName)
        let question = NearestNames(shown).question(after: name)
        throw ValidationError("There is no command '\(name)'\(question)")
    }

    /// On the main thread until the first suspension, while there is no other thread: a process
    /// must be confined by then.
    @MainActor static func main() async {
        do {
            try refuseUnknownCommand(CommandLine.arguments.dropFirst().first)
            var command = try parseAsRoot()
            if var confined = command as? any ConfinedCommand {
                confined.confine()
                command = confined
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: error)
        }
    }
}
