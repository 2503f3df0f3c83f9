import Catalogue
import Foundation
import MediaKernel
import Recording
public import Sandbox

extension SandboxPlan {
    /// The plan of a finisher: it writes into its stream's directory and those of its own
    /// recording, which are created here, and needs no network.
    ///
    /// - Parameters:
    ///   - directory: of the stream, absolute like the root of recordings.
    ///   - environment: the process' own.
    ///   - user: the user that it becomes if it is root.
    public static func finisher(
        directory: String, recordings: String, environment: [String: String], user: SystemUser?
    ) -> SandboxPlan {
        var plan = SandboxPlan(
            writable: [directory], families: [], environment: environment, user: user)
        guard let data = FileManager.default.contents(atPath: "\(directory)/\(StreamFile.name)"),
            let file = try? JSONDocument.decode(StreamFile.self, from: data, limits: .own),
            file.order != nil, let relative = file.stream.assetDirectory,
            let place = RecordingPlace(directory: relative, room: file.stream.room)
        else { return plan }
        for name in [place.directory, place.moviesDirectory, place.chatDirectory] {
            let path = "\(recordings)/\(name)"
            // If a directory cannot be made, the finisher fails when it first needs it.
            try? AssetFile.makeDirectory(path)
            plan.paths.append(Path(path, .write))
        }
        let day = URL(fileURLWithPath: "\(recordings)/\(place.directory)")
            .deletingLastPathComponent().path
        plan.paths.append(Path(day, .prune))
        return plan
    }
}
