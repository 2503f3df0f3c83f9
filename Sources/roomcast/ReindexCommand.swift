import ArgumentParser
import Catalogue
import Foundation
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

    @Option(help: "The directory given to `serve --directory`.")
    var directory: String?

    func run() async throws {
        FileAccess.narrow()
        var input = options.input
        input.give(host: nil, port: nil, udpPort: nil, directory: directory)
        let rebuilt = try await input.explaining { input in
            let settings = try Settings(directoriesIn: input).stream
            let places = [settings.outputDirectory, settings.recordings.directory]
            // In a wrong directory, an empty catalogue would be made.
            guard places.contains(where: FileManager.default.fileExists) else {
                throw ValidationError(
                    "there is neither \(places[0]) nor \(places[1]); --directory says where they are"
                )
            }
            return try await RoomcastServer.openCatalogue(settings).rebuild(
                streams: settings.outputDirectory, recordings: settings.recordings.directory)
        }
        for path in rebuilt.unreadable {
            StandardError.write("roomcast reindex: \(path) cannot be read\n")
        }
        print("\(rebuilt.streams) streams, \(rebuilt.assets) assets")
    }
}
