import Foundation
import Glibc
import MediaKernel
import ObjectStorage
import Recording
import Streams

/// The record of a live stream's copy in a store: `live/<room>/<stream>.json` below the root of
/// recordings. It exists from before the first object until the last one is removed, so no object
/// is forgotten, whatever happens to the stream's directory or the catalogue.
struct LiveCopyRecord: Hashable, Sendable, Codable {
    var stream: StreamID
    var room: RoomID
    /// The stream's directory, relative to the root of streams.
    var directory: String
    /// The prefix of all keys: `s3://bucket/prefix/live/<room>/<stream>`.
    var location: String
    /// Best first.
    var layers: [LiveLayerUpload.Progress] = []
    /// Nothing will follow.
    var isComplete = false
    /// Whether the store may have the master playlist; nil in records of older versions.
    var isPlayable: Bool? = false
    /// Nil until the copy is complete, and for copies kept for ever.
    var expiresAt: UnixTime?

    private enum CodingKeys: String, CodingKey {
        case stream = "stream_id"
        case room = "room_id"
        case directory, location, layers
        case isComplete = "complete"
        case isPlayable = "playable"
        case expiresAt = "expires_ns"
    }

    /// The folder below the root of recordings, and of all keys in the store.
    static let folder = "live"
    /// The most bytes of a record; usual ones have some hundred.
    private static let bytesMaximum = 1 << 16

    /// Nil if the location is invalid.
    func object(_ path: String) -> ObjectLocation? { ObjectLocation("\(location)/\(path)") }

    /// The paths of all playlists, the master playlist first.
    var playlists: [String] {
        [StreamFolder.masterName]
            + layers.indices.map {
                "\(StreamFolder.layerName($0))/\(StreamFolder.playlistName)"
            }
    }

    /// The state to report of a complete copy. A copy that cannot be played is not kept.
    var upload: LiveStream.Upload {
        var upload = LiveStream.Upload(location: location)
        upload.isPlayable = isPlayable != false
        upload.isComplete = true
        upload.segmentsStored = layers.first.map { $0.next - $0.first } ?? 0
        return upload
    }

    /// Takes out of the record a segment that may be in the store; nil if there is none.
    mutating func takeSegment() -> String? {
        for index in layers.indices where layers[index].first < layers[index].next {
            layers[index].first += 1
            let name = SegmentRecord.fileName(number: layers[index].first - 1)
            return "\(StreamFolder.layerName(index))/\(name)"
        }
        return nil
    }

    // MARK: On the disk

    private func path(in root: String) -> String {
        "\(root)/\(Self.folder)/\(room)/\(stream).json"
    }

    /// - Throws: the error of the disk; then the old record remains.
    func write(in root: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let path = path(in: root)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
        try encoder.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// - Throws: the error of the disk.
    func remove(in root: String) throws {
        let path = path(in: root)
        try FileManager.default.removeItem(atPath: path)
        // Removes the directory after the room's last record.
        rmdir((path as NSString).deletingLastPathComponent)
    }

    /// All records, and the paths of unreadable ones.
    static func all(in root: String) -> (records: [LiveCopyRecord], unusable: [String]) {
        var records: [LiveCopyRecord] = []
        var unusable: [String] = []
        for room in names(in: "\(root)/\(folder)") {
            for name in names(in: "\(root)/\(folder)/\(room)") where name.hasSuffix(".json") {
                let path = "\(root)/\(folder)/\(room)/\(name)"
                guard let data = FileManager.default.contents(atPath: path),
                    data.count <= bytesMaximum,
                    let record = try? JSONDocument.decode(
                        LiveCopyRecord.self, from: data, limits: .own),
                    record.path(in: root) == path, ObjectLocation(record.location) != nil
                else {
                    unusable.append(path)
                    continue
                }
                records.append(record)
            }
        }
        return (records, unusable)
    }

    private static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
            .filter { !$0.hasPrefix(".") }.sorted()
    }
}
