import Foundation

/// The clips of the demo's participants.
enum DemoPeople {
    /// Where `make install` puts them, or where they lie beside the sources of this build.
    static var directory: String {
        let folder = URL(fileURLWithPath: Executable.path).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        // From `lib/roomcast`, and from `.build/<platform>/release`.
        let places = ["../../share/roomcast/people", "../../../fixtures/people"].map {
            folder.appendingPathComponent($0).standardizedFileURL.path
        }
        return places.first { FileManager.default.fileExists(atPath: $0) } ?? places[1]
    }
}
