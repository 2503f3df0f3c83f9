public import HLS
import MediaKernel

/// The captions in the archive and its unzipped copy.
extension RecordingAssets {
    /// One language's files.
    struct CaptionFiles {
        /// `captions_en`.
        var folder: String
        var captions: RecordedCaptions
    }

    /// The languages of the stream's captions.
    ///
    /// - Throws: `.file`.
    public func captionLanguages() throws(RecordingError) -> [SubtitleRendition] {
        try folder.master().subtitles.filter { rendition in
            // The name of a directory: a person may have edited the playlist.
            let letters = rendition.language.utf8
            return !letters.isEmpty
                && letters.allSatisfy { byte in
                    (97...122).contains(byte | 0x20) || (48...57).contains(byte)
                        || byte == UInt8(ascii: "-")
                }
        }
    }

    /// - Throws: `.file`.
    func captionFiles() throws(RecordingError) -> [CaptionFiles] {
        try captionLanguages().map { rendition in
            CaptionFiles(
                folder: StreamFolder.captionsName(rendition.language),
                captions: RecordedCaptions(captions, language: rendition.language, in: plan))
        }
    }

    /// A segment's captions have its name.
    private func fileName(ofPart index: Int) -> String {
        plan.parts[index].layers[layers.first ?? 0].fileName.prefix { $0 != "." } + ".vtt"
    }

    /// That of the best layer, with other files.
    func captionPlaylist() -> MediaPlaylist {
        var playlist = playlist(ofLayer: layers.first ?? 0)
        for index in playlist.segments.indices {
            playlist.segments[index].uri = fileName(ofPart: index)
            playlist.segments[index].initialization = nil
            playlist.segments[index].dateRanges = []
        }
        return playlist
    }

    /// - Returns: by folder, the ranges of its segments in the archive.
    func addCaptions(
        to archive: inout ArchiveFile
    ) throws(RecordingError) -> [String: [Range<UInt64>]] {
        var ranges: [String: [Range<UInt64>]] = [:]
        for files in try captionFiles() {
            try archive.add(
                "\(files.folder)/\(StreamFolder.playlistName)", captionPlaylist().rendered())
            for index in plan.parts.indices {
                let bytes = Array(files.captions.segment(ofPart: index).utf8)
                ranges[files.folder, default: []].append(
                    try archive.add(
                        "\(files.folder)/\(fileName(ofPart: index))", bytes,
                        checksum: CRC32.checksum(bytes)))
            }
        }
        return ranges
    }

    func unpackCaptions(
        into directory: String, archive: String, contents: Archive, progress: () -> Void
    ) throws(RecordingError) {
        for files in try captionFiles() {
            let path = "\(directory)/\(files.folder)"
            try AssetFile.makeDirectory(path)
            for index in plan.parts.indices {
                // Like the linked segments, they need not be on the disk yet.
                try AssetFile.publish(
                    Array(files.captions.segment(ofPart: index).utf8),
                    to: fileName(ofPart: index), in: path)
                progress()
            }
            try AssetFile.write(
                Array(captionPlaylist().rendered().utf8), to: StreamFolder.playlistName, in: path)
            var ranged = captionPlaylist()
            for (index, range) in (contents.captions[files.folder] ?? []).enumerated() {
                ranged.segments[index].uri = "../\(archive)"
                ranged.segments[index].byteRange = range
            }
            try AssetFile.write(
                Array(ranged.rendered().utf8), to: StreamFolder.rangesName, in: path)
        }
    }
}
