import Catalogue
import ControlAPI
import Logging
import MediaKernel
import Rooms
import Streams

extension StreamService {
    /// Stops a stream on air at somebody's request.
    func requestStop(_ id: StreamID, by peer: PeerID?) {
        guard let life = book[life: id], life.status.isOnAir, let stream = book[id] else { return }
        if life.status != .stopping {
            book.update(id) { $0.stoppedBy = peer?.rawValue ?? "" }
        }
        rooms.autoStarts.stopped(
            AutoStartKey(room: stream.room, kind: stream.kind, destination: life.destination))
        requestStop(id, for: .stopped)
    }

    /// Stops a stream that nobody asked to stop by name.
    func requestStop(_ id: StreamID, for end: StreamEnd) {
        tellRunning(id)
        carryOut(book[life: id]?.machine.stopRequested(end, at: clock().instant), of: id)
    }

    func carryOut(_ due: StreamMachine.Due?, of id: StreamID) {
        switch due {
        case .launch(let resumes): launch(id, resumes: resumes)
        case .terminate: book[life: id]?.processes.terminateBot()
        case .kill(let cause): book[life: id]?.processes.killBot(for: cause)
        case .stop(let stop): carryOut(stop, of: id)
        case .finish: queueFinisher(id)
        case .killFinisher: book[life: id]?.processes.killFinisher(for: .silent)
        case nil: break
        }
    }

    private func carryOut(_ stop: StreamMachine.Stop?, of id: StreamID) {
        switch stop {
        case .stopping(let end, let asksBot):
            if asksBot { book[life: id]?.processes.stopBot() }
            changed(id, to: .stopping, end)
        case .ended(let ending): carryOut(ending, of: id)
        case nil: break
        }
    }

    func carryOut(_ ending: StreamMachine.Ending?, of id: StreamID) {
        guard let ending else { return }
        errand(for: id) { service in
            guard let record = service.book.record(of: id) else { return }
            if case .discarded = ending {
                // Nothing is served of it, even if its disk hangs.
                service.edges?.ended(id)
                await service.persister.discard(record, service.book[life: id]?.place)
                service.edges?.removed(record.file.stream.directory)
            } else {
                await service.persister.endPlaylists(of: record)
                service.edges?.ended(id)
            }
        }
        switch ending {
        case .discarded(let end), .ended(let end): changed(id, to: end.status, end)
        case .postProcessing(let end):
            changed(id, to: .postProcessing, end)
            // After the end of the playlists, which the finisher reads.
            errand(for: id) { $0.queueFinisher(id) }
        }
    }

    /// Changes a stream's status. A status is reported once it is in the file; a final one once it
    /// is fully saved.
    func changed(_ id: StreamID, to status: LiveStream.Status, _ end: StreamEnd?) {
        book.counts.changed(to: status)
        if let stream = book[id], let life = book[life: id] {
            chat.follow(stream, life, status)
        }
        log(
            status == .failed ? .error : .info, "stream \(status.rawValue)", id,
            end.map { ["reason": "\($0)"] } ?? [:])
        let time = clock().time
        errand(for: id) { await $0.note(id, status, end, at: time) }
    }

    private func note(
        _ id: StreamID, _ status: LiveStream.Status, _ end: StreamEnd?, at time: UnixTime
    ) async {
        let record = book.record(of: id) { $0.change(to: status, end, at: time) }
        guard let record else { return }
        guard !status.isFinal else { return persister.save(record) }
        await persister.note(record)
        persister.save(record)
        book.update(id) { $0.change(to: status, end, at: time) }
        announce(id)
    }

    /// A stream's final state is on disk.
    func finalStateKept(_ record: CatalogueStream) {
        guard var life = book.endLife(record.id) else { return }
        life.processes.botEnded()
        book.update(record.id) { stream in
            stream.status = record.status == .completed ? .completed : .failed
            stream.updatedAt = record.updatedAt
            stream.end = record.end
            stream.stoppedAt = record.stoppedAt
            stream.finishing = LiveStream.Finishing()
            if stream.recordingPause == .paused { stream.recordingPause = .resumed }
        }
        announce(record.id)
    }

    func announce(_ id: StreamID) {
        for news in book.news(of: id) { changeQueue.yield(news) }
    }

    /// Runs a disk operation for a stream, after its earlier ones.
    @discardableResult
    func errand<Value: Sendable>(
        for id: StreamID, _ body: @escaping @Sendable (isolated StreamService) async -> Value
    ) -> Task<Value, Never>? {
        book[life: id]?.errands.add { await body(self) }
    }

    /// Waits for the streams' present errands, not for later ones.
    func settle(_ ids: [StreamID]) async {
        for errands in ids.map({ book[life: $0]?.errands.last }) { await errands?.value }
    }

    func log(
        _ level: Logger.Level, _ message: Logger.Message, _ id: StreamID,
        _ metadata: Logger.Metadata = [:]
    ) {
        var metadata = metadata
        metadata["stream"] = "\(id)"
        metadata["room"] = "\(book[id]?.room.rawValue ?? "")"
        logger.log(level: level, message, metadata: metadata)
    }
}

extension ChatRecorder {
    /// Records the chat from the first segment to the stop.
    fileprivate func follow(_ stream: LiveStream, _ life: StreamLife, _ status: LiveStream.Status) {
        if status == .running, life.order != nil {
            begin(
                stream.id, in: stream.room, directory: life.directory,
                isPaused: stream.recordingPause == .paused)
        } else {
            end(stream.id, in: stream.room)
        }
    }
}

extension LiveStream {
    /// - Parameter end: nil if the stream goes on, or ended before.
    fileprivate mutating func change(to status: Status, _ end: StreamEnd?, at time: UnixTime) {
        self.status = status
        updatedAt = time
        self.end = end ?? self.end
        if status == .running { startedAt = time }
        if !status.isOnAir, stoppedAt == nil { stoppedAt = time }
    }
}
