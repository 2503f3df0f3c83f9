import Catalogue
import HLS
import MediaKernel
import ObjectStorage
import Recording
import Streams

/// A live stream on its way into a store, between its turns.
struct LiveCopy: Sendable {
    var record: LiveCopyRecord
    /// Of the stream, on the disk.
    let directory: String
    var layers: [LiveLayer] = []
    /// The stream has come to its end, and nobody writes its files any more.
    var isOver = false
    /// Of the master playlist that is in the store.
    var master: FileVersion?
    var masterPause: RetryPause
    var masterReason: String?
    /// What was told of it last.
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

    // MARK: What is to be done

    func isLayerDue(_ index: Int, at now: UnixTime) -> Bool {
        let layer = layers[index]
        guard !layer.isFinished, layer.upload.pausedUntil.map({ $0 <= now }) ?? true
        else { return false }
        guard let version = LiveLayerTurn.version(in: path(ofLayer: index)) else { return isOver }
        return isOver || version != layer.seen
    }

    /// The version of the master playlist that is to be put: all that it names is in the store.
    func masterDue(at now: UnixTime) -> FileVersion? {
        var pause = masterPause
        guard !layers.isEmpty, layers.allSatisfy({ $0.upload.isPublished || $0.isGone }),
            layers.contains(where: \.upload.isPublished), pause.isOver(at: now),
            let version = FileVersion(masterPath), version != master
        else { return nil }
        return version
    }

    /// - Throws: `RecordingError`; `StoreFailure` for one that names what is not in the store.
    func masterText() throws -> [UInt8] {
        let bytes = try StreamFolder.read(masterPath, maximum: StreamFolder.masterBytesMaximum)
        let named = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("#") }
        let published = layers.indices.filter { layers[$0].upload.isPublished }
            .map { "\(StreamFolder.layerName($0))/\(StreamFolder.playlistName)" }
        guard Set(named.map(String.init)).isSubset(of: published) else {
            throw StoreFailure(reason: "the master playlist names what is not there")
        }
        return bytes
    }

    // MARK: How far it is

    /// Nothing will follow, and all that was is there.
    var isComplete: Bool {
        guard isOver, layers.allSatisfy(\.isFinished) else { return false }
        guard let version = FileVersion(masterPath) else { return true }
        // What was removed by hand will not come any more.
        return master == version
            || layers.contains { $0.isGone || !$0.upload.isPublished }
    }

    /// Whether anything of it may be in the store.
    var isAnywhere: Bool {
        master != nil
            || layers.contains { $0.upload.isPublished || $0.upload.progress.next > 0 }
    }

    /// Whether it gets on, without waiting for the store.
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
