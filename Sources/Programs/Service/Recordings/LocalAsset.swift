import Catalogue
import Foundation

/// An asset's files on the disk.
struct LocalAsset: Sendable {
    /// Of the file.
    let path: String
    private let kind: CatalogueAsset.Kind
    /// Where the pictures of its recording lie, if there are any.
    private let pictures: String?

    /// Nil for a path that leads out of the root: paths come from files that may have been edited.
    ///
    /// - Parameter root: of recordings.
    init?(_ asset: CatalogueAsset, root: String) {
        guard Self.isUsable(asset.path) else { return nil }
        path = "\(root)/\(asset.path)"
        kind = asset.kind
        pictures = asset.thumbnails?.directory.flatMap { Self.isUsable($0) ? "\(root)/\($0)" : nil }
    }

    static func isUsable(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count > 1 && !parts.contains { $0.isEmpty || $0 == "." || $0 == ".." }
    }

    /// A VOD's directory holds it, zipped and unzipped, and nothing else.
    private var directory: String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
    }

    /// Removes all that belongs to it, pictures too: all that share them are of one age. What is
    /// not there is removed.
    func remove() throws {
        if let pictures { try remove(pictures) }
        try remove(kind == .roomVOD ? directory : path)
    }

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
