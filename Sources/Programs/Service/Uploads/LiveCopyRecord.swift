import Foundation
import Glibc
import MediaKernel
import ObjectStorage
import Recording
import Streams

/// What is known of a live stream's copy in a store: `live/<room>/<stream>.json` below the root of
/// recordings. It is there from before the first object until the last one is gone, so nothing is
/// forgotten, whatever becomes of the stream's own directory or of the catalogue.
struct LiveCopyRecord: Hashable, Sendable, Codable {
    var stream: StreamID
    var room: RoomID
    /// Of the stream, relative to the root of streams.
    var directory: String
    /// What all keys begin with: `s3://bucket/prefix/live/<room>/<stream>`.
    var location: String
    /// Best first.
    var layers: [LiveLayerUpload.Progress] = []
    /// Nothing will follow.
    var isComplete = false
    /// Whether the master playlist may be there; nil where an older version did not note it.
    var isPlayable: Bool? = false
    /// Nil before it is complete, and for what is kept for ever.
    var expiresAt: UnixTime?

    private enum CodingKeys: String, CodingKey {
        case stream = "stream_id"
        case room = "room_id"
        case directory, location, layers
        case isComplete = "complete"
        case isPlayable = "playable"
        case expiresAt = "expires_ns"
    }

    /// Below the root of recordings, and of all keys in the store.
    static let folder = "live"
    /// They are some hundred bytes.
    private static let bytesMaximum = 1 << 16

    /// Nil when the location is not one.
    func object(_ path: String) -> ObjectLocation? { ObjectLocation("\(location)/\(path)") }

    /// What names others: the master playlist first.
    var playlists: [String] {
        [StreamFolder.masterName]
            + layers.indices.map {
                "\(StreamFolder.layerName($0))/\(StreamFolder.playlistName)"
            }
    }

    /// What is told of it once it is complete. One that cannot be played is not kept.
    var upload: LiveStream.Upload {
        var upload = LiveStream.Upload(location: location)
        upload.isPlayable = isPlayable != false
        upload.isComplete = true
        upload.segmentsStored = layers.first.map { $0.next - $0.first } ?? 0
        return upload
    }

    /// A segment that may be there, which is not in the record any more; nil when there is none.
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

    /// - Throws: what the disk says; what was there before is there still.
    func write(in root: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let path = path(in: root)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
        try encoder.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// - Throws: what the disk says.
    func remove(in root: String) throws {
        let path = path(in: root)
        try FileManager.default.removeItem(atPath: path)
        // The last one of its room takes the directory with it.
        rmdir((path as NSString).deletingLastPathComponent)
    }

    /// All that are there, and the paths of those that cannot be read.
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
