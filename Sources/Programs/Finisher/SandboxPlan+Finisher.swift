import Catalogue
import Foundation
import MediaKernel
import Recording
public import Sandbox

extension SandboxPlan {
    /// Of a finisher: it writes into its stream's directory and into those of its own recording,
    /// which are made here, and needs no network.
    ///
    /// - Parameters:
    ///   - directory: of the stream, absolute like the root of recordings.
    ///   - environment: the process' own.
    ///   - user: whom it becomes if it is root.
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
            // One that cannot be made is the finisher's failure, said when it is first needed.
            try? AssetFile.makeDirectory(path)
            plan.paths.append(Path(path, .write))
        }
        let day = URL(fileURLWithPath: "\(recordings)/\(place.directory)")
            .deletingLastPathComponent().path
        plan.paths.append(Path(day, .prune))
        return plan
    }
}
