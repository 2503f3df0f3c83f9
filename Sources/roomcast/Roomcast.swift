import ArgumentParser
import ControlAPI

/// The command line: one command for each role of the binary.
@main
struct Roomcast: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roomcast",
        abstract: "Turns a WebRTC room into an HLS stream.",
        version: Version.current,
        subcommands: [
            ServeCommand.self, BotCommand.self, PublishCommand.self, FinishCommand.self,
            ReindexCommand.self, DemoCommand.self, TokenCommand.self, JibriCommand.self,
            BrowserCommand.self, SpeechKeeperCommand.self,
        ])

    /// On the main thread until the first suspension, while there is no other thread: a process
    /// must be confined by then.
    @MainActor static func main() async {
        do {
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
