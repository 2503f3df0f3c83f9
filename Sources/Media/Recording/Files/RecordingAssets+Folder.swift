import Glibc
import HLS

extension RecordingAssets {
    /// Makes an unzipped copy of the archive: playlists, and the segments as hard links to the
    /// stream's own files, so that they take no space. Segments are copied where links are
    /// impossible, because the directory is on another mount or its file system has no links.
    ///
    /// Next to each media playlist there is a second one, `archive.m3u8`, which names the same
    /// segments as ranges of the archive: so the archive alone is enough to play the recording,
    /// wherever it is stored.
    ///
    /// Can be repeated: files from an earlier run are replaced or kept. The master playlist comes
    /// last.
    ///
    /// - Parameters:
    ///   - directory: absolute, of the archive; created if missing.
    ///   - archive: its file name.
    ///   - contents: the ranges of each layer's files in the archive.
    ///   - progress: called after each segment.
    /// - Throws: `.file`.
    public func unpack(
        into directory: String, archive: String, contents: Archive,
        progress: () -> Void = {}
    ) throws(RecordingError) {
        for layer in layers {
            let name = StreamFolder.layerName(layer)
            try AssetFile.makeDirectory("\(directory)/\(name)")
            for part in plan.parts {
                let record = part.layers[layer]
                if let header = record.headerName {
                    try link(
                        "\(folder.path)/\(name)/\(header)", header, in: "\(directory)/\(name)")
                }
                try link(
                    folder.segmentPath(record, layer: layer), record.fileName,
                    in: "\(directory)/\(name)")
                progress()
            }
            try AssetFile.write(
                Array(playlist(ofLayer: layer).rendered().utf8), to: StreamFolder.playlistName,
                in: "\(directory)/\(name)")
            var ranged = playlist(ofLayer: layer)
            for (index, range) in contents.segments[layer].enumerated() {
                ranged.segments[index].uri = "../\(archive)"
                ranged.segments[index].byteRange = range
                ranged.segments[index].initialization = plan.parts[index].layers[layer].header
                    .map {
                        InitializationSection(
                            uri: "../\(archive)", byteRange: contents.headers[layer][$0])
                    }
            }
            try AssetFile.write(
                Array(ranged.rendered().utf8), to: StreamFolder.rangesName,
                in: "\(directory)/\(name)")
        }
        try unpackCaptions(
            into: directory, archive: archive, contents: contents, progress: progress)
        try AssetFile.write(
            Array(try master().rendered().utf8), to: StreamFolder.masterName, in: directory)
    }

    private func link(
        _ source: String, _ name: String, in directory: String
    ) throws(RecordingError) {
        let path = "\(directory)/\(name)"
        if Glibc.link(source, path) == 0 { return }
        switch errno {
        case EEXIST:
            // Segments are written once and never changed; a copied one is complete, or not under
            // this name.
            return
        case EXDEV, EMLINK, EPERM, EOPNOTSUPP, ENOSYS:
            let bytes = try StreamFolder.read(source, maximum: StreamFolder.segmentBytesMaximum)
            try AssetFile.write(bytes, to: name, in: directory)
        default:
            throw .failed("link", path)
        }
    }
}
