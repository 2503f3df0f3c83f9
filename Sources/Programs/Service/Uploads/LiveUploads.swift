import Catalogue
import Clocks
import HLS
import Logging
import MediaKernel
import ObjectStorage
import Recording
import ServiceLifecycle
import Streams

/// Uploads live streams to a store while they are on air, so that a CDN or the store itself can
/// serve them: each segment as soon as it is cut and before the playlist that names it, and the
/// master playlist after everything that it names.
///
/// It reads the bots' output files, and nothing waits for it: an unreachable store does not affect
/// the stream. The stream's playlists determine what to upload (`LiveLayerUpload`), so there is no
/// queue that could grow; each layer has one request at a time. The progress of a copy is in its
/// `LiveCopyRecord`, from before the first object until the last one is removed.
actor LiveUploads: Service {
    static let tickInterval: Duration = .milliseconds(100)
    /// Concurrent turns of all streams. Newer streams come first, since older ones may already be
    /// over.
    static let turnsMaximum = 32
    /// The longest pause between two attempts; short, so that a returning store is noticed soon.
    static let delayMaximum: Duration = .seconds(5)
    /// A segment that takes longer is too late anyway.
    static let timeoutMaximum: Duration = .seconds(10)
    /// How long a stopping server continues unfinished uploads. The next server resumes them.
    static let atShutdown: Duration = .seconds(10)
    private static let ticksBetweenLooks = 5
    /// The most objects to remove in a turn.
    static let removalsMaximum = 100
    /// For the master playlist, which does not change.
    private static let masterCacheControl = "public, max-age=60"

    enum Turn: Hashable {
        case layer(StreamID, Int)
        case master(StreamID)
        case removal(StreamID)
    }

    private let executor = DiskExecutor(label: "live uploads")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private let settings: StoreSettings
    /// The roots of recordings and of streams.
    private let root: String
    private let streams: String
    /// How long to keep copies; nil for ever.
    private let keptFor: Duration?
    private let source: any LiveCopySource
    private let client: any LiveStoreClient
    let logger: Logger
    let clock: @Sendable () -> UnixTime

    private var copies: [StreamID: LiveCopy] = [:]
    /// Complete copies, to be removed when they expire.
    private var kept: [StreamID: (record: LiveCopyRecord, pause: RetryPause)] = [:]
    private var running: Set<Turn> = []
    private var random: SeededRandom

    /// - Parameters:
    ///   - root: the root of recordings.
    ///   - streams: the root of streams.
    ///   - keptFor: how long to keep copies after a stream's end; nil for ever.
    init(
        settings: StoreSettings, root: String, streams: String, keptFor: Duration?,
        source: any LiveCopySource, client: any LiveStoreClient, logger: Logger,
        seed: UInt64 = UInt64.random(in: 0...UInt64.max),
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.settings = settings
        self.root = root
        self.streams = streams
        self.keptFor = keptFor
        self.source = source
        self.client = client
        self.logger = logger
        self.clock = clock
        random = SeededRandom(seed: seed)
    }

    func run() async throws {
        await load()
        await withDiscardingTaskGroup { group in
            var ticks = 0
            var deadline: UnixTime?
            while !Task.isCancelled {
                if ticks.isMultiple(of: Self.ticksBetweenLooks) { await look() }
                for turn in due() { group.addTask { await self.carryOut(turn) } }
                if Task.isShuttingDownGracefully {
                    let end = deadline ?? clock() + Self.atShutdown
                    deadline = end
                    if isIdle || clock() >= end { break }
                }
                ticks += 1
                try? await Task.sleep(for: Self.tickInterval)
            }
            group.cancelAll()
        }
    }

    // MARK: Due work

    /// Loads the copies of the previous server.
    func load() async {
        let (records, unusable) = LiveCopyRecord.all(in: root)
        for path in unusable {
            logger.warning("the record of a live copy is not usable", metadata: ["path": "\(path)"])
        }
        for record in records {
            guard record.isComplete else {
                begin(record)
                continue
            }
            keep(record)
            await source.copied(record.stream, record.upload)
        }
    }

    /// Finds new streams, and those that have ended.
    func look() async {
        let subjects = await source.streamsToCopy()
        if settings.copiesLive {
            for subject in subjects where subject.isOnAir && copies[subject.stream] == nil {
                let path = "\(LiveCopyRecord.folder)/\(subject.room)/\(subject.stream)"
                begin(
                    LiveCopyRecord(
                        stream: subject.stream, room: subject.room, directory: subject.directory,
                        location: settings.store.location(of: path).description))
            }
        }
        let known = Set(subjects.map(\.stream))
        for id in Array(copies.keys) {
            if !known.contains(id), isSeen(id) { copies[id]?.isOver = true }
            findLayers(of: id)
            if copies[id]?.isComplete == true, !running.contains(where: { $0.stream == id }) {
                await close(id)
            }
            await tell(id)
        }
    }

    /// Whether the disk shows the fate of a stream that is no longer known. Until it does, e.g.
    /// before a volume is mounted, the copy is neither ended nor closed.
    private func isSeen(_ id: StreamID) -> Bool {
        guard let copy = copies[id] else { return false }
        return copy.isOver || FileVersion(copy.directory) != nil
            || StreamRecovery.holdsStreams(streams)
    }

    private func begin(_ record: LiveCopyRecord) {
        copies[record.stream] = LiveCopy(
            record, directory: "\(streams)/\(record.directory)", delayMaximum: delayMaximum,
            seed: random.next())
    }

    private var delayMaximum: Duration { min(settings.delayMaximum, Self.delayMaximum) }

    private func findLayers(of id: StreamID) {
        guard var copy = copies[id] else { return }
        while copy.layers.count < Ladder.layersMaximum,
            FileVersion(copy.path(ofLayer: copy.layers.count)) != nil
        {
            copy.layers.append(
                LiveLayer(
                    upload: LiveLayerUpload(delayMaximum: delayMaximum, seed: random.next())))
        }
        guard copy.layers.count != copy.record.layers.count else { return }
        // Saved before the first object, so that none is forgotten.
        copy.record.layers = copy.layers.map(\.upload.progress)
        guard write(copy.record) else { return }
        copies[id] = copy
    }

    /// The turns that may begin now. They run until `carryOut` returns.
    func due() -> [Turn] {
        let now = clock()
        var turns: [Turn] = []
        for id in copies.keys.sorted(by: >) {
            guard let copy = copies[id] else { continue }
            for index in copy.layers.indices where copy.isLayerDue(index, at: now) {
                turns.append(.layer(id, index))
            }
            if copy.masterDue(at: now) != nil { turns.append(.master(id)) }
        }
        for (id, kept) in kept where kept.record.expiresAt.map({ $0 <= now }) ?? false {
            if kept.pause.until.map({ $0 <= now }) ?? true { turns.append(.removal(id)) }
        }
        let begun = turns.filter { !running.contains($0) }
            .prefix(max(0, Self.turnsMaximum - running.count))
        running.formUnion(begun)
        return Array(begun)
    }

    /// Whether nothing is left to do before a shutdown.
    private var isIdle: Bool {
        running.isEmpty && copies.allSatisfy { !$0.value.isMoving || !isSeen($0.key) }
    }

    // MARK: Turns

    func carryOut(_ turn: Turn) async {
        switch turn {
        case .layer(let id, let index): await carryOutLayer(index, of: id)
        case .master(let id): await putMaster(of: id)
        case .removal(let id): await remove(id)
        }
        running.remove(turn)
    }

    private func carryOutLayer(_ index: Int, of id: StreamID) async {
        guard let copy = copies[id],
            let location = copy.record.object(StreamFolder.layerName(index))
        else { return }
        let before = copy.layers[index]
        let after = await LiveLayerTurn(
            path: copy.path(ofLayer: index), location: location, isOver: copy.isOver,
            client: client, clock: clock
        ).run(before)
        guard var copy = copies[id] else { return }
        copy.layers[index] = after
        copy.record.layers[index] = after.upload.progress
        if before.upload.progress != after.upload.progress { write(copy.record) }
        copies[id] = copy
        log(copy, failures: (before.upload.failures, after.upload.failures), after.reason)
        if let missing = after.missing, before.missing == nil {
            logger.error(
                "a segment is gone, the stored stream ends before it",
                metadata: ["stream": "\(id)", "layer": "\(index)", "segment": "\(missing)"])
        }
        await tell(id)
    }

    private func putMaster(of id: StreamID) async {
        guard let copy = copies[id], let version = copy.masterDue(at: clock()),
            let location = copy.record.object(StreamFolder.masterName)
        else { return }
        let before = copy.masterPause.failures
        var reason: String?
        do {
            let text = try copy.masterText()
            try notePlayable(id)
            try await client.put(text, at: location, cacheControl: Self.masterCacheControl)
            copies[id]?.master = version
            copies[id]?.masterPause.succeeded()
        } catch {
            reason = "\(error)"
            copies[id]?.masterPause.failed(at: clock())
        }
        copies[id]?.masterReason = reason
        guard let copy = copies[id] else { return }
        log(copy, failures: (before, copy.masterPause.failures), reason)
        await tell(id)
    }

    /// Called before the master playlist is put: otherwise a later server, which has put none,
    /// would consider the copy unplayable.
    ///
    /// - Throws: the error of the disk.
    private func notePlayable(_ id: StreamID) throws {
        guard var record = copies[id]?.record, record.isPlayable != true else { return }
        record.isPlayable = true
        try record.write(in: root)
        copies[id]?.record = record
    }

    /// Reports the progress of a copy.
    private func tell(_ id: StreamID) async {
        guard let copy = copies[id], copy.upload != copy.told else { return }
        copies[id]?.told = copy.upload
        await source.copied(id, copy.upload)
    }

    private func close(_ id: StreamID) async {
        guard var copy = copies.removeValue(forKey: id) else { return }
        guard copy.isAnywhere else {
            forget(copy.record)
            return
        }
        copy.record.isComplete = true
        // A copy without a master playlist is unplayable: the stream was stopped before it ran.
        let kept = copy.record.isPlayable == false ? Duration.zero : keptFor
        copy.record.expiresAt = kept.map { clock() + $0 }
        write(copy.record)
        keep(copy.record)
        logger.info(
            "live stream stored",
            metadata: [
                "stream": "\(id)", "room": "\(copy.record.room)",
                "location": "\(copy.record.location)",
            ])
        await source.copied(id, copy.record.upload)
    }

    // MARK: Removal

    private func keep(_ record: LiveCopyRecord) {
        guard record.expiresAt != nil else { return }
        let pause = RetryPause(
            first: LiveLayerUpload.firstDelay, maximum: settings.delayMaximum,
            seed: random.next())
        kept[record.stream] = (record, pause)
    }

    /// Removes some of a copy's objects: playlists first, then the segments that they name.
    private func remove(_ id: StreamID) async {
        guard var record = kept[id]?.record else { return }
        do {
            for name in record.playlists { try await delete(name, of: record) }
            await source.copied(id, nil)
            var count = 0
            while count < Self.removalsMaximum, let name = record.takeSegment() {
                try await delete(name, of: record)
                count += 1
            }
            kept[id]?.record = record
            kept[id]?.pause.succeeded()
            guard count < Self.removalsMaximum else {
                write(record)
                return
            }
            kept[id] = nil
            forget(record)
            logger.info(
                "expired live stream removed from the store",
                metadata: ["stream": "\(id)", "location": "\(record.location)"])
        } catch {
            kept[id]?.pause.failed(at: clock())
            logger.warning(
                "expired live stream not removed from the store yet",
                metadata: ["stream": "\(id)", "reason": "\(error)"])
        }
    }

    private func delete(_ name: String, of record: LiveCopyRecord) async throws {
        guard let location = record.object(name) else { return }
        try await client.delete(location)
    }

    // MARK: The record

    @discardableResult private func write(_ record: LiveCopyRecord) -> Bool {
        do {
            try record.write(in: root)
            return true
        } catch {
            logger.error(
                "the record of a live copy cannot be written",
                metadata: ["stream": "\(record.stream)", "error": "\(error)"])
            return false
        }
    }

    private func forget(_ record: LiveCopyRecord) { try? record.remove(in: root) }

    /// Logs failures of a long unreachable store less and less often.
    private func log(_ copy: LiveCopy, failures: (before: Int, after: Int), _ reason: String?) {
        let metadata: Logger.Metadata = [
            "stream": "\(copy.record.stream)", "room": "\(copy.record.room)",
            "failures": "\(max(failures.before, failures.after))",
            "segments_waiting": "\(copy.upload.segmentsWaiting)",
        ]
        if failures.after > failures.before, failures.after.nonzeroBitCount == 1 {
            logger.warning(
                "live stream not stored yet",
                metadata: metadata.merging(["reason": "\(reason ?? "")"]) { $1 })
        } else if failures.after == 0, failures.before > 0 {
            logger.notice("live stream is stored again", metadata: metadata)
        }
    }
}

extension LiveUploads.Turn {
    var stream: StreamID {
        switch self {
        case .layer(let id, _), .master(let id), .removal(let id): id
        }
    }
}
