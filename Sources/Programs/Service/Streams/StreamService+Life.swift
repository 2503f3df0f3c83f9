import Catalogue
import HLS
import Logging
import MediaKernel
import Rooms
import Streams

extension StreamService {
    /// Of the pictures, best first. Rungs that differ in their picture only are one without it.
    static func sizes(
        of ladder: Ladder, _ audio: LiveStreamAudio
    ) -> [CatalogueAsset.Size] {
        guard audio.only else {
            return ladder.layers.map { CatalogueAsset.Size(width: $0.width, height: $0.height) }
        }
        return Set(ladder.layers.map(\.audioBitrate)).map { _ in
            CatalogueAsset.Size(width: 0, height: 0)
        }
    }

    /// What is written down of a stream as it is now.
    func record(of id: StreamID) -> StreamKeeper.Record? {
        guard let stream = archive[id], let entry = entries[id] else { return nil }
        return StreamKeeper.Record(
            stream, in: entry.directory, order: entry.order, place: entry.place)
    }

    /// Somebody does not want a stream that is on air any more.
    func requestStop(_ id: StreamID, by peer: PeerID?) {
        guard let entry = entries[id], entry.machine.status.isOnAir else { return }
        if entry.machine.status != .stopping {
            archive.update(id) { $0.stoppedBy = peer?.rawValue ?? "" }
        }
        if let stream = archive[id] {
            holdBack(stream.room, stream.kind, destination: entry.destination)
        }
        requestStop(id, for: .stopped)
    }

    /// A stream is to come to its end, which nobody asked for by name.
    func requestStop(_ id: StreamID, for end: StreamEnd) {
        tellRunning(id)
        let now = clock().instant
        let orders = entries[id]?.machine.stopRequested(end, at: now) ?? []
        carryOut(orders, of: id)
    }

    func carryOut(_ orders: [StreamMachine.Order], of id: StreamID) {
        for order in orders {
            switch order {
            case .launch(let resumes): launch(id, resumes: resumes)
            case .askToStop: entries[id]?.signals?.yield(.stop)
            case .terminate:
                entries[id]?.killedBotFor = .notFinished
                entries[id]?.signals?.yield(.terminate)
            case .kill(let cause):
                entries[id]?.killedBotFor = cause
                // It may hang in the hardware, in which the next bot would hang as well.
                entries[id]?.mistrustsHardware = true
                entries[id]?.signals?.yield(.kill)
            case .finishPlaylists: finishPlaylists(of: id)
            case .discard: discard(id)
            case .finish:
                // Behind the playlists that it reads.
                if entries[id]?.errands.isEmpty ?? true {
                    queueFinisher(id)
                } else {
                    errand(for: id) { $0.queueFinisher(id) }
                }
            case .killFinisher:
                entries[id]?.killedFinisherFor = .silent
                entries[id]?.finisherSignals?.yield(.kill)
            case .changed(let status, let end): changed(id, to: status, end)
            }
        }
    }

    /// A state that is not final is told when it is in the file; a final one when it is written
    /// down.
    private func changed(_ id: StreamID, to status: LiveStream.Status, _ end: StreamEnd?) {
        counts.changed(to: status)
        recordChat(of: id, status)
        log(
            status == .failed ? .error : .info, "stream \(status.rawValue)", id,
            end.map { ["reason": "\($0)"] } ?? [:])
        let time = clock().time
        errand(for: id) { await $0.note(id, status, end, at: time) }
    }

    private func note(
        _ id: StreamID, _ status: LiveStream.Status, _ end: StreamEnd?, at time: UnixTime
    ) async {
        guard let entry = entries[id], var stream = archive[id] else { return }
        stream.change(to: status, end, at: time)
        let record = StreamKeeper.Record(
            stream, in: entry.directory, order: entry.order, place: entry.place)
        guard !status.isFinal else { return persister.save(record) }
        do {
            try await persister.onDisk { try $0.note(record) }
        } catch {
            log(.error, "the stream's record cannot be written", id, ["error": "\(error)"])
        }
        persister.save(record)
        archive.update(id) { $0.change(to: status, end, at: time) }
        announce(id)
    }

    /// The chat is kept from the first segment to the stop.
    private func recordChat(of id: StreamID, _ status: LiveStream.Status) {
        guard let entry = entries[id], let stream = archive[id] else { return }
        if status == .running, entry.order != nil {
            chat.begin(
                id, in: stream.room, directory: entry.directory,
                isPaused: stream.recordingPause == .paused)
        } else {
            chat.end(id, in: stream.room)
        }
    }

    /// A stream's final state is on the disk.
    func finalStateKept(_ record: CatalogueStream) {
        guard let entry = entries.removeValue(forKey: record.id) else { return }
        entry.signals?.finish()
        archive.update(record.id) { stream in
            stream.status = record.status == .completed ? .completed : .failed
            stream.updatedAt = record.updatedAt
            stream.end = record.end
            stream.stoppedAt = record.stoppedAt
            stream.finishing = LiveStream.Finishing()
            if stream.recordingPause == .paused { stream.recordingPause = .resumed }
        }
        ended.append((record.id, entry.statistics))
        if ended.count > Self.statisticsMaximum { ended.removeFirst() }
        announce(record.id)
    }

    func announce(_ id: StreamID) {
        guard let stream = archive[id] else { return }
        switch stream.kind {
        case .stream:
            var streams = archive.onAir(in: stream.room, .stream)
            if !stream.status.isOnAir { streams.append(stream) }
            changeQueue.yield(.streams(room: stream.room, streams))
        case .recording:
            // The next one may have begun while this one is stopped.
            let recording = archive.onAir(in: stream.room, .recording).last ?? stream
            changeQueue.yield(.recording(room: stream.room, recording))
        }
    }

    /// Does something for a stream that touches a disk, behind what is done for it already.
    @discardableResult
    func errand<Value: Sendable>(
        for id: StreamID, _ body: @escaping @Sendable (isolated StreamService) async -> Value
    ) -> Task<Value, Never>? {
        entries[id]?.errands.add { await self.run(body, for: id) }
    }

    private func run<Value: Sendable>(
        _ errand: (isolated StreamService) async -> Value, for id: StreamID
    ) async -> Value {
        defer { entries[id]?.errands.finished() }
        return await errand(self)
    }

    /// Waits for what is being done for streams, not for what comes meanwhile.
    func settle(_ ids: [StreamID]) async {
        for errands in ids.map({ entries[$0]?.errands.all }) { await errands?.value }
    }

    func log(
        _ level: Logger.Level, _ message: Logger.Message, _ id: StreamID,
        _ metadata: Logger.Metadata = [:]
    ) {
        var metadata = metadata
        metadata["stream"] = "\(id)"
        metadata["room"] = "\(archive[id]?.room.rawValue ?? "")"
        logger.log(level: level, message, metadata: metadata)
    }
}

extension LiveStream {
    /// - Parameter end: nil where it goes on, or ended before.
    fileprivate mutating func change(to status: Status, _ end: StreamEnd?, at time: UnixTime) {
        self.status = status
        updatedAt = time
        self.end = end ?? self.end
        if status == .running { startedAt = time }
        if !status.isOnAir, stoppedAt == nil { stoppedAt = time }
    }
}
