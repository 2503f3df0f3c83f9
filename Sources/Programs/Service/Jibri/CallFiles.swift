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
/// that a killed program's successor does what is left: a script may then run twice. What fails is
/// tried again, ever later.
actor CallFiles {
    private struct Job {
        var note: CallNote
        /// Whether nobody else asks for its file: an earlier program's, or one that has failed.
        var isOurs = false
        var isDelivering = false
        /// When who is there may be noted again; nil while that is being done.
        var attendanceDueAt: Instant? = .zero
        /// Of the file, then of the script.
        var retry = CallRetry.file
    }

    /// Of notes of who is there: members may come, go and change their names at any rate.
    static let attendanceInterval = Duration.seconds(10)

    private let catalogue: Catalogue
    private let control: StreamService
    private let recordings: String
    private let folders: SessionFolders
    private let delivery: CallDelivery
    private let ledger: CallLedger
    private let script: FinalizeScript?
    private let holds: AssetHolds
    private let logger: Logger
    private let time: @Sendable () -> UnixTime
    private let disk = DispatchQueue(label: "roomcast.jibri.files")
    private var jobs: [StreamID: Job] = [:]
    private let scripts: AsyncStream<CallNote>
    private let queue: AsyncStream<CallNote>.Continuation
    private let recordsSoundAlone: Bool
    /// Of scripts at a time.
    private let width: Int
    private var finalizing = 0

    /// - Parameters:
    ///   - recordings: the root of the server's own recordings.
    ///   - holds: keeps the server's own files of calls until they are in place.
    ///   - width: the most scripts at a time.
    ///   - place: of a file; nil for that of ``CallDelivery``.
    init(
        catalogue: Catalogue, control: StreamService, recordings: String, settings: JibriSettings,
        holds: AssetHolds, width: Int, logger: Logger, place: CallDelivery.Place? = nil,
        time: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.catalogue = catalogue
        self.control = control
        self.recordings = recordings
        recordsSoundAlone = settings.recordsSoundAlone
        folders = SessionFolders(settings.recordingsDirectory)
        var delivery = CallDelivery(folders: folders)
        if let place { delivery.place = place }
        self.delivery = delivery
        ledger = CallLedger(directory: settings.recordingsDirectory)
        script = settings.finalizeScript.map { FinalizeScript(path: $0, logger: logger) }
        self.holds = holds
        self.width = width
        self.logger = logger
        self.time = time
        // Bounded by the notes.
        (scripts, queue) = AsyncStream.makeStream()
        // What an earlier program has left is known once its notes are read.
        holds.open()
    }

    /// Runs scripts until it is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<width {
                group.addTask { for await note in self.scripts { await self.finalize(note) } }
            }
        }
    }

    /// Whether no script runs, or is about to. One that is to be tried again later is left to the
    /// next start.
    var isIdle: Bool { finalizing == 0 }

    /// The sessions of which something is still to be done.
    var left: [String] { jobs.values.map(\.note.session).sorted() }

    /// What has failed and is to be tried again, for people; nil for nothing.
    var trouble: String? {
        let failed = jobs.values.filter { $0.retry.failures > 0 }
        // The worst one stands for all.
        guard let worst = failed.max(by: { $0.retry.failures < $1.retry.failures }) else {
            return nil
        }
        return "\(failed.count) not delivered yet, after up to \(worst.retry.failures) attempts: "
            + worst.retry.reason
    }

    // MARK: A call's life

    /// Makes the directory of a call's file.
    ///
    /// - Returns: its name; nil for a stream, of which nobody knows yet whether it has a file.
    func begin(_ call: JibriCall) async throws(CallFault) -> String? {
        guard case .file = call.start.output else { return nil }
        return try await claim(call.session)
    }

    private func claim(_ session: String) async throws(CallFault) -> String {
        let folders = folders
        return try await BlockingCall.run(on: disk) { () throws(CallFault) in
            try folders.claim(session)
        }
    }

    func takeBack(_ folder: String?) async {
        guard let folder else { return }
        let folders = folders
        await BlockingCall.run(on: disk) { folders.takeBack(folder) }
    }

    /// Notes a call whose file is wanted, or may come about.
    func note(_ call: JibriCall, _ stream: StreamID, in folder: String?) async throws(CallFault) {
        let note = CallNote(
            session: call.session, stream: stream, directory: folder,
            file: RecordingNames.file(
                of: call.meeting, at: Self.local(time()),
                isSoundAlone: recordsSoundAlone && call.start.output == .file),
            meetingURL: call.meeting.url, more: call.start.metadata)
        holds.hold(stream)
        do throws(CallFault) {
            try await write(note)
        } catch {
            holds.release(stream)
            throw error
        }
        jobs[stream] = Job(note: note)
    }

    /// Who has been in a call so far. To be called again: it may be too early to note it.
    func attended(_ people: [JSONValue], _ stream: StreamID, at now: Instant) async {
        guard var job = jobs[stream], !job.isDelivering, !job.note.isDelivered,
            let due = job.attendanceDueAt, due <= now, job.note.participants != people
        else { return }
        job.note.participants = people
        job.attendanceDueAt = nil
        jobs[stream] = job
        // The next change, or the end, writes it again.
        try? await write(job.note)
        jobs[stream]?.attendanceDueAt = now + Self.attendanceInterval
    }

    /// Puts the file of a call that is over in place.
    ///
    /// - Returns: false while that is still to be done. What has failed is tried again without
    ///   being asked for.
    func deliver(_ stream: LiveStream) async -> Bool {
        guard let job = jobs[stream.id], !job.note.isDelivered else { return true }
        guard !job.isDelivering else { return false }
        jobs[stream.id]?.isDelivering = true
        defer { jobs[stream.id]?.isDelivering = false }
        if let people = await control.statistics(of: stream.id)?.attendance.identities,
            !people.isEmpty
        {
            jobs[stream.id]?.note.participants = people
        }
        let note = job.note
        let assets: [CatalogueAsset]
        do {
            assets = try await catalogue.assets(of: [stream.id])[stream.id] ?? []
        } catch {
            failed(note, "a recording's files cannot be looked up", "\(error)")
            return true
        }
        guard let asset = Self.file(among: assets) else {
            if case .failed(let failure)? = stream.end, failure.lacksAssets {
                // The next start looks again: by then they may have been made.
                jobs[stream.id]?.isOurs = false
                log(.error, "a recording has no file", note, ["reason": "\(failure.words)"])
                return true
            }
            // Once it is taken back, another part of the session may have it.
            jobs[stream.id]?.note.directory = nil
            await takeBack(note.directory)
            log(.notice, "nothing was recorded, there is nothing to finalize", note)
            await forget(note)
            return true
        }
        guard let source = LocalAsset(asset, root: recordings)?.path else {
            jobs[stream.id]?.isOurs = false
            log(.error, "a recording's path leads out of the recordings", note)
            return true
        }
        await deliver(stream.id, source)
        return true
    }

    private func deliver(_ stream: StreamID, _ source: String) async {
        guard var note = jobs[stream]?.note else { return }
        let delivery = delivery
        do throws(CallFault) {
            let folder: String
            if let known = note.directory {
                folder = known
            } else {
                folder = try await claim(note.session)
                note.directory = folder
                jobs[stream]?.note = note
                try await write(note)
            }
            // Beside what waits for the queue: a copy of gigabytes takes its time.
            try await BlockingCall.run { [note] () throws(CallFault) in
                try delivery.deliver(note, into: folder, from: source)
            }
        } catch {
            // The server's own copy is there.
            return failed(note, "a recording cannot be put in place", "\(error)")
        }
        note.isDelivered = true
        jobs[stream]?.note = note
        jobs[stream]?.isOurs = false
        jobs[stream]?.retry = .script
        do throws(CallFault) {
            try await write(note)
        } catch {
            // After a restart it is put in place again, which does no harm.
            log(.error, "a recording's note cannot be written", note, ["reason": "\(error)"])
        }
        holds.release(stream)
        log(.info, "a recording is in place", note, ["file": "\(note.file)"])
        enqueue(note)
    }

    private func enqueue(_ note: CallNote) {
        finalizing += 1
        queue.yield(note)
    }

    private func finalize(_ note: CallNote) async {
        let folder = note.directory ?? RecordingNames.directory(session: note.session)
        let isDone = await script?.run(folders.path(of: folder)) ?? true
        // One that was ended with this program is run again by the next.
        guard !Task.isCancelled else { return }
        defer { finalizing -= 1 }
        guard !isDone else { return await forget(note) }
        let folders = folders
        // Without it there is nothing to do: the script has taken it over after all.
        guard await BlockingCall.run(on: disk, { folders.isThere(folder) }) else {
            return await forget(note)
        }
        failed(note, "a recording is not finalized", "the finalize script has failed")
        if jobs[note.stream]?.retry.isWaiting == false { await forget(note) }
    }

    /// What is to be tried again, until that is of no use.
    private func failed(_ note: CallNote, _ text: String, _ reason: String) {
        jobs[note.stream]?.isOurs = true
        jobs[note.stream]?.retry.failed(reason)
        let isAgain = jobs[note.stream]?.retry.isWaiting == true
        log(
            .error, text, note,
            [
                "reason": "\(reason)", "failures": "\(jobs[note.stream]?.retry.failures ?? 0)",
                "again": isAgain ? "later" : "no",
            ])
    }

    private func write(_ note: CallNote) async throws(CallFault) {
        let ledger = ledger
        try await BlockingCall.run(on: disk) { () throws(CallFault) in try ledger.write(note) }
    }

    private func forget(_ note: CallNote) async {
        let directory = jobs[note.stream]?.note.directory
        jobs[note.stream] = nil
        holds.release(note.stream)
        if let directory { folders.release(directory) }
        let ledger = ledger
        await BlockingCall.run(on: disk) { ledger.remove(note.stream) }
    }

    // MARK: What is left to do

    /// Takes over what an earlier program has not done.
    func recover() async {
        let ledger = ledger
        let left: [CallNote?]
        do throws(CallFault) {
            left = try await BlockingCall.run(on: disk) { () throws(CallFault) in try ledger.all() }
        } catch {
            logger.error(
                "jibri: the notes of recordings cannot be used, so no stored or expired file is removed",
                metadata: ["reason": "\(error)"])
            return
        }
        for found in left {
            guard var note = found else {
                logger.error("jibri: a note of a recording cannot be read")
                continue
            }
            if note.isDelivered, note.directory == nil {
                // Of a program that gave each session one directory.
                note.directory = RecordingNames.directory(session: note.session)
            }
            if let directory = note.directory { folders.keep(directory) }
            jobs[note.stream] = Job(note: note, isOurs: !note.isDelivered)
            if note.isDelivered {
                jobs[note.stream]?.retry = .script
                enqueue(note)
            } else {
                holds.hold(note.stream)
            }
        }
        holds.settle()
    }

    /// Looks whether what nobody else asks for can be done by now.
    func tick(at now: Instant) async {
        for (id, job) in jobs where job.isOurs && !job.isDelivering {
            guard jobs[id]?.retry.isDue(at: now) == true else { continue }
            if job.note.isDelivered {
                jobs[id]?.isOurs = false
                enqueue(job.note)
                continue
            }
            do throws(LiveStreamError) {
                if let stream = try await control.stream(id) {
                    if stream.status.isFinal { Task { await deliver(stream) } }
                } else {
                    log(.error, "a recording is not known any more", job.note)
                    await forget(job.note)
                }
            } catch { continue }
        }
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
