import Catalogue
import ChildProcesses
import HLS
import Logging
import MediaKernel
import Streams

/// Assets, and the finishers that make them.
extension StreamService {
    /// What is to be made of a stream; nil for nothing.
    func order(
        _ request: LiveStreamRequest, _ settings: StreamSettings, ladder: Ladder
    ) -> RecordingOrder? {
        guard let recording = request.recording.map(LiveStreamRecording.init), recording.isWanted
        else { return nil }
        return RecordingOrder(
            hlsVOD: recording.hlsVOD, singleFilePerLayer: recording.singleFilePerLayer,
            layers: Self.sizes(of: ladder, request.audio),
            keptLayers: request.audio.only
                ? nil
                : settings.destinations(of: request.kind)
                    .recordedLayers(for: request.destination, of: ladder),
            keptSeconds: settings.recordingsKept.map { Int64($0.inSeconds) },
            thumbnails: settings.thumbnails(for: request))
    }

    /// A stream's finisher is wanted, and starts when it is its turn.
    func queueFinisher(_ id: StreamID) {
        finisherQueue.add(id)
        startFinishers(at: clock().instant)
        guard let index = finisherQueue.waiting.firstIndex(of: id) else { return }
        log(
            .info, "finisher waits for a core", id,
            ["position": "\(index + 1)", "at_work": "\(finisherQueue.atWork)"])
    }

    /// Starts the finishers whose turn it is.
    func startFinishers(at now: Instant) {
        let due = finisherQueue.take(
            idle: idleCores.mean, maximum: settings.finishersMaximum, at: now)
        for id in due {
            archive.update(id) { $0.finishing.position = nil }
            entries[id]?.machine.finisherStarted(at: now)
            launchFinisher(id)
        }
    }

    /// Tells the streams that wait how many go before them.
    func tellFinisherPositions() {
        guard toldPositions != finisherQueue.waiting else { return }
        toldPositions = finisherQueue.waiting
        for (index, id) in toldPositions.enumerated() {
            archive.update(id) { $0.finishing.position = index + 1 }
        }
    }

    private func launchFinisher(_ id: StreamID) {
        guard let entry = entries[id] else { return finisherQueue.remove(id) }
        let (signals, continuation) = AsyncStream.makeStream(of: FinisherSignal.self)
        entries[id]?.finisherSignals = continuation
        entries[id]?.killedFinisherFor = nil
        if !archive.onAir.isEmpty { continuation.yield(.giveWay) }
        log(.info, "finisher started", id, ["waiting": "\(finisherQueue.waiting.count)"])
        launchQueue.yield(
            .finisher(
                FinisherJob(
                    stream: id, directory: entry.directory,
                    recordings: settings.recordingsDirectory), signals: signals))
    }

    func supervise(_ job: FinisherJob, signals: AsyncStream<FinisherSignal>) async {
        if await !chat.caughtUp(job.stream, within: Self.chatWaitMaximum) {
            log(.error, "the end of the chat is not written yet", job.stream)
        }
        let exit = await finishers.run(job, signals: signals) { report in
            await self.reported(report, of: job.stream)
        }
        finisherExited(exit, of: job.stream)
    }

    private func reported(_ report: FinisherReport, of id: StreamID) {
        entries[id]?.machine.finisherProgressed(at: clock().instant)
        switch report {
        case .progress(let permille): archive.update(id) { $0.finishing.permille = permille }
        case .leftOut(let layer, let segment):
            log(
                .warning, "segment left out of the recording", id,
                ["layer": "\(layer)", "segment": "\(segment)"])
        case .withoutThumbnails(let reason):
            log(.warning, "thumbnails cannot be made", id, ["reason": "\(reason)"])
        case .finished(let assets): log(.info, "assets made", id, ["count": "\(assets)"])
        case .failed(let reason, _): log(.error, "finisher failed", id, ["reason": "\(reason)"])
        }
    }

    private func finisherExited(_ exit: FinisherExit, of id: StreamID) {
        entries[id]?.finisherSignals?.finish()
        entries[id]?.finisherSignals = nil
        finisherQueue.remove(id)
        var exit = exit
        switch exit {
        case .finished: archive.update(id) { $0.finishing.error = nil }
        case .noRoom(let reason):
            archive.update(id) { $0.finishing.error = reason }
            log(.warning, "finisher exited", id, ["reason": "\(reason)"])
        case .failed(let reason, let ending):
            // One without an entry was left to the next start.
            let order = entries[id].map(\.killedFinisherFor) ?? .serverStopped
            let death = died(
                .finisher, ending, orderedFor: order, message: reason.isEmpty ? nil : reason,
                of: id)
            exit = .failed(reason: "\(death)", ending)
            archive.update(id) { $0.finishing.error = "\(death)" }
        }
        carryOut(entries[id]?.machine.finisherExited(exit, at: clock().instant) ?? [], of: id)
        startFinishers(at: clock().instant)
    }
}
