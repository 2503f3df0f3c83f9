import Catalogue
import Clocks
import Dispatch
import Glibc
import Jibri
import Logging
import MediaKernel
import Streams

/// What becomes of calls on the operator's disk: a note of each, then its file, then the script.
/// The note is there before Jicofo hears of the recording and goes when the script has ended, so
/// that a killed program's successor does what is left: a script may then run twice.
actor CallFiles {
    private let catalogue: Catalogue
    private let control: StreamService
    private let recordings: String
    private let delivery: CallDelivery
    private let ledger: CallLedger
    private let script: FinalizeScript?
    private let logger: Logger
    private let time: @Sendable () -> UnixTime
    private let disk = DispatchQueue(label: "roomcast.jibri.files")
    private var notes: [StreamID: CallNote] = [:]
    /// Those that an earlier program has left, which nobody else asks for.
    private var inherited: Set<StreamID> = []
    private var delivering: Set<StreamID> = []
    private let scripts: AsyncStream<CallNote>
    private let queue: AsyncStream<CallNote>.Continuation
    /// Of scripts at a time.
    private let width: Int
    private var finalizing = 0

    /// - Parameters:
    ///   - recordings: the root of the server's own recordings.
    ///   - width: the most scripts at a time.
    ///   - place: of a file; nil for that of ``CallDelivery``.
    init(
        catalogue: Catalogue, control: StreamService, recordings: String, settings: JibriSettings,
        width: Int, logger: Logger, place: CallDelivery.Place? = nil,
        time: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.catalogue = catalogue
        self.control = control
        self.recordings = recordings
        var delivery = CallDelivery(directory: settings.recordingsDirectory)
        if let place { delivery.place = place }
        self.delivery = delivery
        ledger = CallLedger(directory: settings.recordingsDirectory)
        script = settings.finalizeScript.map { FinalizeScript(path: $0, logger: logger) }
        self.width = width
        self.logger = logger
        self.time = time
        // Bounded by the notes.
        (scripts, queue) = AsyncStream.makeStream()
    }

    /// Runs scripts until it is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<width {
                group.addTask { for await note in self.scripts { await self.finalize(note) } }
            }
        }
    }

    /// Whether no script runs, or waits to.
    var isIdle: Bool { finalizing == 0 }

    // MARK: A call's life

    /// Makes the directory of a call's file.
    func begin(_ call: JibriCall) async throws(CallFault) {
        guard case .file = call.start.output else { return }
        let (delivery, session) = (delivery, call.session)
        try await BlockingCall.run(on: disk) { () throws(CallFault) in
            try delivery.begin(session)
        }
    }

    func takeBack(_ call: JibriCall) async {
        guard case .file = call.start.output else { return }
        let (delivery, session) = (delivery, call.session)
        await BlockingCall.run(on: disk) { delivery.takeBack(session) }
    }

    /// Notes a call whose file is wanted, or may come about.
    func note(_ call: JibriCall, _ stream: StreamID) async throws(CallFault) {
        let note = CallNote(
            session: call.session, stream: stream,
            file: RecordingNames.file(of: call.meeting, at: Self.local(time())),
            meetingURL: call.meeting.url, more: call.start.metadata)
        try await write(note)
        notes[stream] = note
    }

    /// Puts the file of a call that is over in place.
    ///
    /// - Returns: false while that is still to be done.
    func deliver(_ stream: LiveStream) async -> Bool {
        guard let note = notes[stream.id], !note.isDelivered else { return true }
        guard delivering.insert(stream.id).inserted else { return false }
        defer { delivering.remove(stream.id) }
        let assets: [CatalogueAsset]
        do {
            assets = try await catalogue.assets(of: [stream.id])[stream.id] ?? []
        } catch {
            log(.error, "a recording's files cannot be looked up", note, ["reason": "\(error)"])
            return false
        }
        guard let asset = Self.file(among: assets) else {
            if case .failed(let failure)? = stream.end, failure.lacksAssets {
                // The next start looks again: by then they may have been made.
                log(.error, "a recording has no file", note, ["reason": "\(failure.words)"])
                return true
            }
            let (delivery, session) = (delivery, note.session)
            await BlockingCall.run(on: disk) { delivery.takeBack(session) }
            log(.notice, "nothing was recorded, there is nothing to finalize", note)
            await forget(note)
            return true
        }
        guard let source = LocalAsset(asset, root: recordings)?.path else {
            log(.error, "a recording's path leads out of the recordings", note)
            return true
        }
        return await deliver(note, source)
    }

    private func deliver(_ note: CallNote, _ source: String) async -> Bool {
        var note = note
        let delivery = delivery
        do throws(CallFault) {
            // Beside what waits for the queue: a copy of gigabytes takes its time.
            try await BlockingCall.run { [note] () throws(CallFault) in
                try delivery.deliver(note, from: source)
            }
            note.isDelivered = true
            notes[note.stream] = note
            try await write(note)
        } catch {
            log(.error, "a recording cannot be put in place", note, ["reason": "\(error)"])
            // The server's own copy is there; the next start tries again.
            return true
        }
        log(.info, "a recording is in place", note, ["file": "\(note.file)"])
        finalizing += 1
        queue.yield(note)
        return true
    }

    private func finalize(_ note: CallNote) async {
        await script?.run(delivery.folder(of: note.session))
        // One that was ended with this program is run again by the next.
        guard !Task.isCancelled else { return }
        await forget(note)
        finalizing -= 1
    }

    private func write(_ note: CallNote) async throws(CallFault) {
        let ledger = ledger
        try await BlockingCall.run(on: disk) { () throws(CallFault) in try ledger.write(note) }
    }

    private func forget(_ note: CallNote) async {
        notes[note.stream] = nil
        inherited.remove(note.stream)
        let ledger = ledger
        await BlockingCall.run(on: disk) { ledger.remove(note.stream) }
    }

    // MARK: What others left

    /// Takes over what an earlier program has not done.
    func recover() async {
        let ledger = ledger
        let left: [CallNote?]
        do throws(CallFault) {
            left = try await BlockingCall.run(on: disk) { () throws(CallFault) in try ledger.all() }
        } catch {
            logger.error(
                "jibri: the notes of recordings cannot be used", metadata: ["reason": "\(error)"])
            return
        }
        for note in left {
            guard let note else {
                logger.error("jibri: a note of a recording cannot be read")
                continue
            }
            notes[note.stream] = note
            if note.isDelivered {
                finalizing += 1
                queue.yield(note)
            } else {
                inherited.insert(note.stream)
            }
        }
    }

    /// Looks whether what others left is complete by now.
    func tick() async {
        for id in inherited where !delivering.contains(id) {
            do throws(LiveStreamError) {
                if let stream = try await control.stream(id) {
                    if stream.status.isFinal { Task { await hand(over: stream) } }
                } else if let note = notes[id] {
                    log(.error, "a recording is not known any more", note)
                    await forget(note)
                }
            } catch { continue }
        }
    }

    private func hand(over stream: LiveStream) async {
        if await deliver(stream) { inherited.remove(stream.id) }
    }

    /// The best picture; of sound alone the only file.
    private static func file(among assets: [CatalogueAsset]) -> CatalogueAsset? {
        assets.filter { $0.kind == .roomComposite && $0.status == .completed }
            .max { ($0.size?.height ?? 0) < ($1.size?.height ?? 0) }
    }

    /// The machine's local time: Jibri names files by it.
    private static func local(_ time: UnixTime) -> CivilTime {
        var seconds = time_t(time.seconds)
        var fields = tm()
        localtime_r(&seconds, &fields)
        return CivilTime(
            unixNanoseconds: time.nanoseconds + Int64(fields.tm_gmtoff) * 1_000_000_000)
    }

    private func log(
        _ level: Logger.Level, _ text: String, _ note: CallNote, _ more: Logger.Metadata = [:]
    ) {
        var metadata = more
        metadata["session"] = "\(note.session)"
        metadata["stream"] = "\(note.stream)"
        logger.log(level: level, "jibri: \(text)", metadata: metadata)
    }
}

extension StreamFailure {
    /// Whether there is a recording whose file could not be made.
    fileprivate var lacksAssets: Bool { cause == .assetsNotMade || cause == .noRoomForAssets }
}
