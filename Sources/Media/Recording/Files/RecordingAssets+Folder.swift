import Glibc
import HLS

extension RecordingAssets {
    /// Makes what the archive holds, unzipped: playlists, and the segments as further names of the
    /// stream's own files, so that they take no room. Where that cannot be, since the directory is
    /// on another mount or its disk takes no links, they are copied.
    ///
    /// Beside each media playlist lies another one, `archive.m3u8`, which names the same segments
    /// as ranges of the archive: so the archive alone is enough to play the recording, wherever it
    /// is kept.
    ///
    /// What a run before left is made anew or kept, so that it can be repeated. The master
    /// playlist comes last.
    ///
    /// - Parameters:
    ///   - directory: absolute, of the archive; made when it is not there.
    ///   - archive: its name.
    ///   - ranges: where in it the segments of each layer lie.
    ///   - progress: called after each segment.
    /// - Throws: `.file`.
    public func unpack(
        into directory: String, archive: String, ranges: [[Range<UInt64>]],
        progress: () -> Void = {}
    ) throws(RecordingError) {
        for layer in layers {
            let name = StreamFolder.layerName(layer)
            try AssetFile.makeDirectory("\(directory)/\(name)")
            for part in plan.parts {
                let record = part.layers[layer]
                try link(
                    folder.segmentPath(record, layer: layer), record, in: "\(directory)/\(name)")
                progress()
            }
            try AssetFile.write(
                Array(playlist(ofLayer: layer).rendered().utf8), to: StreamFolder.playlistName,
                in: "\(directory)/\(name)")
            var ranged = playlist(ofLayer: layer)
            for (index, range) in ranges[layer].enumerated() {
                ranged.segments[index].uri = "../\(archive)"
                ranged.segments[index].byteRange = range
            }
            try AssetFile.write(
                Array(ranged.rendered().utf8), to: StreamFolder.rangesName,
                in: "\(directory)/\(name)")
        }
        try AssetFile.write(
            Array(try master().rendered().utf8), to: StreamFolder.masterName, in: directory)
    }

    private func link(
        _ source: String, _ record: SegmentRecord, in directory: String
    ) throws(RecordingError) {
        let path = "\(directory)/\(record.fileName)"
        if Glibc.link(source, path) == 0 { return }
        switch errno {
        case EEXIST:
            // Written once and never changed; one that was copied is whole, or not under this name.
            return
        case EXDEV, EMLINK, EPERM, EOPNOTSUPP, ENOSYS:
            let bytes = try StreamFolder.read(source, maximum: StreamFolder.segmentBytesMaximum)
            try AssetFile.write(bytes, to: record.fileName, in: directory)
        default:
            throw .failed("link", path)
        }
    }
}
