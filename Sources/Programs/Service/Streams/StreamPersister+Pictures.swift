import MediaKernel
import Stage

/// Uploaded pictures, of which the server keeps those that were uploaded or used last.
extension StreamPersister {
    /// Counts the uploaded pictures of layouts as used now.
    ///
    /// - Parameter root: the directory of all streams.
    /// - Returns: a warning for each that is not kept, and so will not be shown.
    nonisolated func warnings(
        ofPicturesIn layouts: [Layout], root: String
    ) async -> [String] {
        let pictures = Set(layouts.flatMap(\.uploads)).sorted { $0.name < $1.name }
        guard !pictures.isEmpty else { return [] }
        let missing = await onDisk { disk in pictures.filter { !disk.use($0, of: root) } }
        return missing.map {
            "layout names \($0.text), which the server does not keep or keeps no longer: "
                + "it is not shown until it is uploaded again"
        }
    }
}
