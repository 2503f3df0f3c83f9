import ArgumentParser
import Service

struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Print the settings in force, and where each comes from.",
        discussion: """
            Options win over variables ROOMCAST_…, which win over the file. Secrets are not printed. \
            docs/CONFIGURATION.md describes each setting.
            """)

    @OptionGroup var options: ServingOptions

    @Flag(help: "Only those that are given, without the defaults.")
    var given = false

    @Flag(help: "Print them as JSON.")
    var json = false

    func run() async throws {
        let table = try await options.input.explaining { input in
            for words in try Settings(input).unknownVariableWords {
                StandardError.write("roomcast settings: \(words)\n")
            }
            return SettingsTable(input)
        }
        guard json else {
            for line in table.lines(onlyGiven: given) { print(line) }
            return
        }
        let rows = table.rows.filter { !given || $0.origin != nil }
        try ResultJSON.print(rows)
    }
}
