import Clocks
import HLS
import Jibri
import Logging
import MediaKernel
import Streams

/// Records calls as streams of this server: a file is a recording without a live stream; a stream
/// is a live one that is pushed to the asked place, and kept where the settings say so.
actor StreamCallRecorder: CallRecorder {
    /// Makes of a call what the bot is to join, and the room that the stream belongs to.
    typealias Planner = @Sendable (JibriCall) throws(RecordingFailure) -> CallPlan

    private struct Key: Hashable {
        let session: String
        let slot: Int
    }

    private struct Job {
        let call: JibriCall
        /// Whether its start is under way: who wants to end it leaves that to the start.
        var isBeginning = true
        /// Nil if nothing could be begun.
        var stream: StreamID?
        /// Why it will fail once it has begun.
        var failure: RecordingFailure?
        var hasBegun = false
        /// By an order.
        var isEnding = false
        var isRunning = false
        /// Whether its end has been told, or is no news.
        var isOver = false
        /// Whether its file is being put in place.
        var isDelivering = false
        var deadline: Instant?
    }

    private let control: StreamService
    private let settings: JibriSettings
    private let plan: Planner
    private let files: CallFiles
    private let logger: Logger
    private let clock: @Sendable () -> Instant
    private var jobs: [Key: Job] = [:]
    /// Whether the program is about to end: nothing begins any more.
    private var isClosed = false
    nonisolated let news: AsyncStream<CallNews>
    private let queue: AsyncStream<CallNews>.Continuation

    init(
        control: StreamService, settings: JibriSettings, files: CallFiles,
        logger: Logger, clock: @escaping @Sendable () -> Instant = { MonotonicClock.now },
        plan: @escaping Planner
    ) {
        self.control = control
        self.settings = settings
        self.files = files
        self.logger = logger
        self.clock = clock
        self.plan = plan
        // Bounded by the slots: each call yields three.
        (news, queue) = AsyncStream.makeStream()
    }

    func hasCapacity() async -> Bool { await control.canAccept }

    // MARK: Orders

    func admit(_ call: JibriCall, slot: Int) async -> Bool {
        guard !isClosed else { return false }
        let key = Key(session: call.session, slot: slot)
        if let job = jobs[key] { return !job.isEnding && !job.isOver }
        jobs[key] = Job(call: call)
        // Its stream would be taken for this one's.
        for other in jobs.keys where other.session == key.session && other != key {
            await stop(other)
            guard jobs[other]?.isBeginning != true else {
                jobs[key] = nil
                log(.notice, "no place for a recording", key, ["reason": "it starts elsewhere"])
                return false
            }
        }
        let outcome: Result<StreamID, Refusal>
        do throws(Refusal) {
            outcome = .success(try await start(call))
        } catch { outcome = .failure(error) }
        return await begun(key, outcome)
    }

    /// A start has come to its end.
    ///
    /// - Returns: whether the call has its place.
    private func begun(_ key: Key, _ outcome: Result<StreamID, Refusal>) async -> Bool {
        let isWanted = jobs[key]?.isEnding == false
        jobs[key]?.isBeginning = false
        switch outcome {
        case .success(let stream): jobs[key]?.stream = stream
        case .failure(.noPlace(let reason)):
            jobs[key] = nil
            log(.notice, "no place for a recording", key, ["reason": "\(reason)"])
            return false
        case .failure(.failure(let failure, let reason)):
            jobs[key]?.failure = failure
            log(.error, "cannot be recorded", key, ["reason": "\(reason)"])
        }
        if !isWanted {
            log(.notice, "a recording was ended while it started", key)
            await stop(key)
        }
        return isWanted
    }

    func begin(_ session: String, slot: Int) async {
        let key = Key(session: session, slot: slot)
        guard let job = jobs[key] else {
            // It has ended before: the slot must not wait for it.
            return tell(key, .closed)
        }
        jobs[key]?.hasBegun = true
        jobs[key]?.deadline = job.call.environment.usageTimeout.map { clock() + $0 }
        if isClosed { await stop(key, tells: true) } else { await look(at: key) }
    }

    func end(_ session: String, slot: Int) async {
        await stop(Key(session: session, slot: slot))
    }

    func endAll() async {
        isClosed = true
        for key in jobs.keys { await stop(key, tells: true) }
    }

    /// - Parameter tells: whether the end is news to the slot.
    private func stop(_ key: Key, tells: Bool = false) async {
        guard let job = jobs[key] else { return }
        jobs[key]?.isEnding = true
        jobs[key]?.isOver = true
        if tells, !job.isOver, job.hasBegun { tell(key, .ended(.finished)) }
        if let stream = job.stream { _ = try? await control.stop(stream: stream, stoppedBy: nil) }
        await look(at: key)
    }

    // MARK: Starts

    enum Refusal: Error {
        case noPlace(String)
        case failure(RecordingFailure, String)
    }

    private func start(_ call: JibriCall) async throws(Refusal) -> StreamID {
        if case .stream(let stream) = call.start.output,
            !stream.isAllowed(by: settings.allowedStreams)
        {
            throw .failure(.targetRefused, "the address of the stream is not in rtmp-allow-list")
        }
        let plan: CallPlan
        do throws(RecordingFailure) {
            plan = try self.plan(call)
        } catch {
            throw .failure(error, "the call cannot be joined")
        }
        let request = try request(for: call, plan)
        let folder: String?
        do throws(CallFault) {
            folder = try await files.begin(call)
        } catch {
            throw .failure(.disk, error.description)
        }
        let stream: LiveStream
        do throws(LiveStreamError) {
            stream = try await control.start(room: plan.room, request, startedBy: nil)[0]
        } catch {
            await files.takeBack(folder)
            throw error.refusal
        }
        guard stream.plan.variant.metadata == call.session else {
            await files.takeBack(folder)
            throw .noPlace("the room is being recorded")
        }
        do throws(CallFault) {
            try await files.note(call, stream.id, in: folder)
        } catch {
            _ = try? await control.stop(stream: stream.id, stoppedBy: nil)
            await files.takeBack(folder)
            throw .failure(.disk, error.description)
        }
        return stream.id
    }

    private func request(
        for call: JibriCall, _ plan: CallPlan
    ) throws(Refusal) -> LiveStreamRequest {
        switch call.start.output {
        case .file:
            var request = LiveStreamRequest(
                kind: .recording, variants: [plan.variant],
                recording: RecordingOptions(hlsVOD: false, singleFilePerLayer: true))
            request.ladder = ladder(of: .recording)
            request.audio.only = settings.recordsSoundAlone
            return request
        case .stream(let stream):
            var request = LiveStreamRequest(kind: .stream, variants: [plan.variant])
            request.ladder = ladder(of: .stream)
            do throws(PushTargetFault) {
                request.outputs = [try PushTarget(stream.url)]
            } catch {
                throw .failure(.targetRefused, "the address of the stream \(error)")
            }
            return request
        }
    }

    /// Nil for the server's own.
    private func ladder(of kind: LiveStream.Kind) -> Ladder? {
        guard settings.picture != JibriPicture() else { return nil }
        let standard = try? control.settings.ladder(for: LiveStreamRequest(kind: kind))
        return standard?.changed(by: settings.picture, isStream: kind == .stream)
    }

    // MARK: Life

    func tick(at now: Instant) async {
        for key in jobs.keys { await look(at: key) }
        await files.tick(at: now)
    }

    var unfinished: [String] { jobs.keys.map(\.session).sorted() }

    /// Tells what has become of a call. Safe to call at any time.
    private func look(at key: Key) async {
        guard let job = jobs[key], !job.isBeginning else { return }
        guard let id = job.stream else {
            // Not begun, it is told later.
            guard job.hasBegun || job.isEnding else { return }
            if let failure = job.failure, !job.isOver { tell(key, .ended(.failed(failure))) }
            return close(key)
        }
        guard let stream = try? await control.stream(id), jobs[key]?.stream == id else { return }
        if job.hasBegun { follow(stream, key) }
        if let deadline = job.deadline, deadline <= clock(), jobs[key]?.isOver == false {
            jobs[key]?.isOver = true
            tell(key, .ended(.finished))
            _ = try? await control.stop(stream: id, stoppedBy: nil)
        }
        // Once it is final, the delivery does it.
        if !stream.status.isFinal { await follow(attendanceOf: id) }
        guard stream.status.isFinal, jobs[key]?.isDelivering == false else { return }
        jobs[key]?.isDelivering = true
        // A copy to another disk takes minutes, in which the other calls go on.
        Task { await deliver(stream, key) }
    }

    private func deliver(_ stream: LiveStream, _ key: Key) async {
        let isDone = await files.deliver(stream)
        // The session may have begun anew here.
        guard jobs[key]?.stream == stream.id else { return }
        jobs[key]?.isDelivering = false
        if isDone { close(key) }
    }

    /// Not waited for: a disk that hangs must not hold up the other calls.
    private func follow(attendanceOf stream: StreamID) async {
        guard let people = await control.statistics(of: stream)?.attendance.identities,
            !people.isEmpty
        else { return }
        let (files, now) = (files, clock())
        Task { await files.attended(people, stream, at: now) }
    }

    private func follow(_ stream: LiveStream, _ key: Key) {
        guard let job = jobs[key], !job.isOver else { return }
        let push = stream.plan.outputs.first.map { stream.pushReport(of: $0).state }
        if stream.status == .running, !job.isRunning, push == nil || push == .live {
            jobs[key]?.isRunning = true
            tell(key, .running)
        }
        if stream.status == .running, push == .failed {
            // Nobody sees it any more: Jibri ends, too.
            jobs[key]?.isOver = true
            tell(key, .ended(.failed(.targetLost)))
            let control = control
            Task { _ = try? await control.stop(stream: stream.id, stoppedBy: nil) }
        } else if stream.status != .starting, stream.status != .running {
            jobs[key]?.isOver = true
            tell(key, .ended(stream.end?.recordingEnd ?? .finished))
        }
    }

    private func close(_ key: Key) {
        guard let job = jobs.removeValue(forKey: key) else { return }
        if job.hasBegun || job.isEnding { tell(key, .closed) }
    }

    private func tell(_ key: Key, _ event: CallNews.Event) {
        log(.info, "a recording \(event.words)", key)
        queue.yield(CallNews(session: key.session, slot: key.slot, event: event))
    }

    private func log(
        _ level: Logger.Level, _ text: String, _ key: Key, _ more: Logger.Metadata = [:]
    ) {
        var metadata = more
        metadata["session"] = "\(key.session)"
        metadata["slot"] = "\(key.slot)"
        logger.log(level: level, "jibri: \(text)", metadata: metadata)
    }
}

extension CallNews.Event {
    fileprivate var words: String {
        switch self {
        case .running: "runs"
        case .ended(.finished): "has ended"
        case .ended(.failed(let failure)): "has failed: \(failure)"
        case .closed: "is complete"
        }
    }
}

extension LiveStreamError {
    /// What a refused start means: another recorder may have room, or this one is at fault.
    fileprivate var refusal: StreamCallRecorder.Refusal {
        switch self {
        case .tooManyStreams, .insufficientCPU, .tooManyVariants, .runsOtherwise, .tooManyPages,
            .noBrowser, .insufficientMemory, .shuttingDown:
            .noPlace(description)
        case .storage: .failure(.disk, description)
        case .invalidOutput: .failure(.targetRefused, description)
        default: .failure(.internal, description)
        }
    }
}

extension StreamEnd {
    /// What Jicofo is to know of a stream's end.
    var recordingEnd: RecordingEnd {
        guard case .failed(let failure) = self else { return .finished }
        return switch failure.cause {
        case .diskFull, .directoryLost: .failed(.disk)
        case .botLeftEarly, .pageNotShown, .sourceClosed: .failed(.notJoined)
        case .sourceEncrypted: .failed(.encrypted)
        case .sourceSilent: .failed(.noMedia)
        case .sourceLost: .failed(.connectionFailed)
        // The recording is complete as far as Jicofo is concerned.
        case .assetsNotMade, .noRoomForAssets: .finished
        case .notEncoded, .botStoodStill, .serverRestarted, .botNotStarted, .botDied, .unknown:
            .failed(.internal)
        }
    }
}
