import ArgumentParser
import Catalogue
import Service

struct ReindexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reindex",
        abstract: "Rebuild the catalogue from the directories of streams and recordings.",
        discussion: """
            The lists of streams and assets become what the files on the disk say. Webhooks that \
            wait to be sent stay as they are, and none is added. The server may be running.
            """)

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        FileAccess.narrow()
        let rebuilt = try await options.input.explaining { input in
            let settings = try Settings(directoriesIn: input).stream
            return try await RoomcastServer.openCatalogue(settings).rebuild(
                streams: settings.outputDirectory, recordings: settings.recordings.directory)
        }
        for path in rebuilt.unreadable {
            StandardError.write("roomcast reindex: \(path) cannot be read\n")
        }
        print("\(rebuilt.streams) streams, \(rebuilt.assets) assets")
    }
}
