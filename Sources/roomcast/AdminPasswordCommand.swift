import ArgumentParser
import Glibc
import Service
import Tokens

struct AdminPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin-password",
        abstract: "Set the password of the operator's page, /admin.",
        discussion: """
            Asks for it twice, or reads one line if standard input is not a terminal. The server needs \
            no restart; whoever is logged in has to log in again. The file (admin.passwordFile) has only a \
            hash. docs/ADMIN.md describes the page.
            """)

    @OptionGroup var options: SettingsOptions

    @Option(help: "The directory given to `serve --directory`.")
    var directory: String?

    func run() async throws {
        var input = options.input
        input.give(host: nil, port: nil, udpPort: nil, directory: directory)
        let file = try await input.explaining { input in
            AdminPasswordFile(path: try Settings(passwordFileIn: input).admin.passwordFile)
        }
        let password = try Self.read()
        guard password.count >= PasswordHash.passwordCharactersMinimum else {
            throw ValidationError(
                "the password needs at least \(PasswordHash.passwordCharactersMinimum) characters")
        }
        guard password.utf8.count <= PasswordHash.passwordBytesMaximum else {
            throw ValidationError(
                "the password may have \(PasswordHash.passwordBytesMaximum) bytes at most")
        }
        guard let hash = PasswordHash(password: password) else {
            throw ValidationError("there is no memory for the hash, or there are no random numbers")
        }
        try file.write(hash)
        StandardError.write("The password of /admin is set in \(file.path).\n")
    }

    private static func read() throws -> String {
        guard isatty(STDIN_FILENO) == 1 else { return readLine() ?? "" }
        let password = ask("New password: ")
        guard ask("Once more: ") == password else {
            throw ValidationError("the two were not the same; nothing is changed")
        }
        return password
    }

    /// What is typed is not shown.
    private static func ask(_ question: String) -> String {
        StandardError.write(question)
        var before = termios()
        tcgetattr(STDIN_FILENO, &before)
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            StandardError.write("\n")
        }
        return readLine() ?? ""
    }
}
