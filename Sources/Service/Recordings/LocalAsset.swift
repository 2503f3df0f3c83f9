import Catalogue
import Foundation

/// An asset's files on the disk.
struct LocalAsset: Sendable {
    /// Of the file.
    let path: String
    private let kind: CatalogueAsset.Kind

    /// Nil for a path that leads out of the root: paths come from files that may have been edited.
    ///
    /// - Parameter root: of recordings.
    init?(_ asset: CatalogueAsset, root: String) {
        let parts = asset.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1, !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." })
        else { return nil }
        path = "\(root)/\(asset.path)"
        kind = asset.kind
    }

    /// A VOD's directory holds it, zipped and unzipped, and nothing else.
    private var directory: String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
    }

    /// Removes all that belongs to it. What is not there is removed.
    func remove() throws { try remove(kind == .roomVOD ? directory : path) }

    /// Removes what lies in a store: of a VOD the playlists stay, since they are served from here.
    func removeStored() throws {
        if kind == .roomVOD {
            let manager = FileManager.default
            for name in (try? manager.contentsOfDirectory(atPath: directory)) ?? [] {
                let layer = "\(directory)/\(name)"
                for file in (try? manager.contentsOfDirectory(atPath: layer)) ?? []
                where !file.hasSuffix(".m3u8") {
                    try remove("\(layer)/\(file)")
                }
            }
        }
        try remove(path)
    }

    private func remove(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.removeItem(atPath: path)
    }
}
