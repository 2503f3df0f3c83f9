import Catalogue
import Foundation

/// An asset's files on disk.
struct LocalAsset: Sendable {
    /// The path of the file.
    let path: String
    private let kind: CatalogueAsset.Kind
    /// The directory of the recording's thumbnails, if there are any.
    private let pictures: String?

    /// Nil for a path that leaves the root: paths come from files that may have been edited.
    ///
    /// - Parameter root: the root of recordings.
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

    /// The directory holds the VOD, zipped and unzipped, and nothing else.
    private var directory: String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
    }

    /// Removes all files of the asset, including shared thumbnails, since the assets that share
    /// them expire together. Missing files are no error.
    func remove() throws {
        if let pictures { try remove(pictures) }
        try remove(kind == .roomVOD ? directory : path)
    }

    /// Removes the files that are in a store, but not a VOD's playlists, which this server serves.
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
