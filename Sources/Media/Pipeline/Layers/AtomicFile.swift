import Recording

/// Segments and playlists, which viewers read while they are written: each file appears whole or
/// not at all.
enum AtomicFile {
    /// - Parameter directory: must exist.
    static func write(
        _ bytes: [UInt8], to name: String, in directory: String
    ) throws(PipelineError) {
        do throws(RecordingError) {
            try AssetFile.publish(bytes, to: name, in: directory)
        } catch {
            throw PipelineError(error)
        }
    }

    static func write(
        _ text: String, to name: String, in directory: String
    ) throws(PipelineError) {
        try write(Array(text.utf8), to: name, in: directory)
    }

    static func makeDirectory(_ path: String) throws(PipelineError) {
        do throws(RecordingError) {
            try AssetFile.makeDirectory(path)
        } catch {
            throw PipelineError(error)
        }
    }
}
