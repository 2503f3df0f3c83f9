import Foundation
import Service

/// Where the demo keeps its files, so that it works from any directory.
enum DemoFolder {
    /// Names a new folder for them if they would go into the working directory and nobody may write
    /// there. Directories that somebody has set stay.
    static func choose(in settings: inout Settings) {
        let manager = FileManager.default
        guard !manager.isWritableFile(atPath: manager.currentDirectoryPath) else { return }
        // Others on the machine cannot foresee the name, and so cannot make it theirs.
        let folder = manager.temporaryDirectory
            .appendingPathComponent("roomcast-demo-\(UUID().uuidString.lowercased())").path
        let usual = Settings().stream
        if settings.stream.outputDirectory == usual.outputDirectory {
            settings.stream.outputDirectory = "\(folder)/streams"
        }
        if settings.stream.recordings.directory == usual.recordings.directory {
            settings.stream.recordings.directory = "\(folder)/recordings"
        }
    }
}
