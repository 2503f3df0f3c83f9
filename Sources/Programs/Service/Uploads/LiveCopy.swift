import Catalogue
import HLS
import MediaKernel
import ObjectStorage
import Recording
import Streams

/// The copy of a live stream in a store, between its turns.
struct LiveCopy: Sendable {
    var record: LiveCopyRecord
    /// The stream's directory on disk.
    let directory: String
    var layers: [LiveLayer] = []
    /// The stream has ended, and nobody writes its files any more.
    var isOver = false
    /// The version of the master playlist in the store.
    var master: FileVersion?
    var masterPause: RetryPause
    var masterReason: String?
    /// The state last reported to the streams.
    var told: LiveStream.Upload?

    init(_ record: LiveCopyRecord, directory: String, delayMaximum: Duration, seed: UInt64) {
        self.record = record
        self.directory = directory
        masterPause = RetryPause(
            first: LiveLayerUpload.firstDelay, maximum: delayMaximum, seed: seed)
        layers = record.layers.map {
            LiveLayer(
                upload: LiveLayerUpload(progress: $0, delayMaximum: delayMaximum, seed: seed))
        }
    }

    func path(ofLayer index: Int) -> String { "\(directory)/\(StreamFolder.layerName(index))" }

    private var masterPath: String { "\(directory)/\(StreamFolder.masterName)" }

    // MARK: Due work

    func isLayerDue(_ index: Int, at now: UnixTime) -> Bool {
        let layer = layers[index]
        guard !layer.isFinished, layer.upload.pausedUntil.map({ $0 <= now }) ?? true
        else { return false }
        guard let version = LiveLayerTurn.version(in: path(ofLayer: index)) else { return isOver }
        return isOver || version != layer.seen
    }

    /// The version of the master playlist to put; nil until the store has everything that it names.
    func masterDue(at now: UnixTime) -> FileVersion? {
        var pause = masterPause
        guard !layers.isEmpty, layers.allSatisfy({ $0.upload.isPublished || $0.isGone }),
            layers.contains(where: \.upload.isPublished), pause.isOver(at: now),
            let version = FileVersion(masterPath), version != master
        else { return nil }
        return version
    }

    /// - Throws: `RecordingError`; `StoreFailure` if the playlist names missing files.
    func masterText() throws -> [UInt8] {
        let bytes = try StreamFolder.read(masterPath, maximum: StreamFolder.masterBytesMaximum)
        let named = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("#") }
        let published = layers.indices.filter { layers[$0].upload.isPublished }
            .map { "\(StreamFolder.layerName($0))/\(StreamFolder.playlistName)" }
        guard Set(named.map(String.init)).isSubset(of: published) else {
            throw StoreFailure(reason: "the master playlist names what is not there")
        }
        return try Self.withoutCaptions(bytes)
    }

    /// Captions are not copied, so the copy must not name them.
    static func withoutCaptions(_ bytes: [UInt8]) throws -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("TYPE=SUBTITLES") else { return bytes }
        var master = try MasterPlaylist(parsing: text)
        master.subtitles = []
        return Array(master.rendered().utf8)
    }

    // MARK: Progress

    /// The store has everything, and nothing will follow.
    var isComplete: Bool {
        guard isOver, layers.allSatisfy(\.isFinished) else { return false }
        guard let version = FileVersion(masterPath) else { return true }
        // Files that were removed by hand will not return.
        return master == version
            || layers.contains { $0.isGone || !$0.upload.isPublished }
    }

    /// Whether any part of the copy may be in the store.
    var isAnywhere: Bool {
        master != nil
            || layers.contains { $0.upload.isPublished || $0.upload.progress.next > 0 }
    }

    /// Whether the copy progresses without waiting for the store.
    var isMoving: Bool {
        layers.allSatisfy { $0.upload.pausedUntil == nil } && masterPause.until == nil
    }

    var upload: LiveStream.Upload {
        var upload = LiveStream.Upload(location: record.location)
        upload.isPlayable = master != nil
        upload.isComplete = record.isComplete
        upload.segmentsStored =
            layers.first.map {
                $0.upload.progress.next - $0.upload.progress.first
            } ?? 0
        upload.segmentsWaiting = layers.map(\.upload.waiting).max() ?? 0
        upload.failures = max(
            layers.map(\.upload.failures).max() ?? 0, masterPause.failures)
        upload.reason = layers.compactMap(\.reason).first ?? masterReason
        return upload
    }
}
