import Catalogue
import NIOPosix
import Recording
import Synchronization

/// Notes the locations and expiry of assets in the manifests of recordings, so that the catalogue
/// can be rebuilt from the disk. One note at a time, since all assets of a recording share a file.
final class ManifestUpdates: Sendable {
    private let root: String
    private let turn = Mutex(())

    /// - Parameter root: the root of recordings.
    init(root: String) { self.root = root }

    enum Failure: Error, CustomStringConvertible {
        /// There is no manifest, or the asset is not in it.
        case unknown(asset: String, directory: String)

        var description: String {
            switch self {
            case .unknown(let asset, let directory):
                "\(directory)/\(RecordingManifest.fileName) does not have \(asset)"
            }
        }
    }

    /// Changes an asset in its manifest; the change is on disk on return.
    ///
    /// - Parameter directory: the recording's directory, relative to the root.
    /// - Throws: `Failure`, `RecordingError`.
    func note(
        asset id: String, in directory: String,
        _ change: @Sendable @escaping (inout CatalogueAsset) -> Void
    ) async throws {
        let root = root
        try await NIOThreadPool.singleton.runIfActive {
            try self.turn.withLock { _ in
                let path = "\(root)/\(directory)"
                guard var manifest = RecordingManifest.read(path),
                    let index = manifest.assets.firstIndex(where: { $0.id == id })
                else { throw Failure.unknown(asset: id, directory: directory) }
                let before = manifest.assets[index]
                change(&manifest.assets[index])
                guard manifest.assets[index] != before else { return }
                try AssetFile.write(manifest.encoded, to: RecordingManifest.fileName, in: path)
            }
        }
    }
}
