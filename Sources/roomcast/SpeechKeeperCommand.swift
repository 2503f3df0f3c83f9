import ArgumentParser
import Sandbox
import Speech

/// Started by a bot, with frames on standard input.
struct SpeechKeeperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "speech",
        abstract: "Keep the program that recognizes speech for one bot. Started by the bot.",
        shouldDisplay: false)

    @Option(
        help: "Whom to become if started as root: the numbers of a user and a group, 65534:65534.",
        transform: SystemUser.parsing)
    var user: SystemUser?

    @Argument(parsing: .postTerminator, help: "The program's absolute path and its arguments.")
    var words: [String]

    func run() throws {
        guard words.first?.hasPrefix("/") == true else {
            throw ValidationError("the program's path must be absolute")
        }
        OOMScore.raise(by: OOMScore.bot)
        throw ExitCode(SpeechKeeper(words: words, user: user).run())
    }
}
