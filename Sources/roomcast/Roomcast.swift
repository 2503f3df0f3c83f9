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
            ReindexCommand.self, DemoCommand.self, TokenCommand.self,
        ])
}
