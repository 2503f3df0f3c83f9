import ChildProcesses
import Logging
import MediaKernel
import Streams

/// The finishers, which make the assets.
extension StreamService {
    /// A stream's finisher is wanted, and starts when it is its turn.
    func queueFinisher(_ id: StreamID) {
        // One without a life was left to the next start.
        guard book[life: id] != nil else { return }
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
            idle: kernel.idleCores, maximum: settings.limits.finishers, at: now)
        for id in due {
            book.update(id) { $0.finishing.position = nil }
            book[life: id]?.machine.finisherStarted(at: now)
            guard let life = book[life: id],
                let signals = book[life: id]?.processes.nextFinisher()
            else {
                finisherQueue.remove(id)
                continue
            }
            if !book.onAir.isEmpty { book[life: id]?.processes.giveWay() }
            log(.info, "finisher started", id, ["waiting": "\(finisherQueue.waiting.count)"])
            supervisor.startFinisher(
                FinisherJob(
                    stream: id, directory: life.directory,
                    recordings: settings.recordings.directory), signals: signals)
        }
    }

    func reported(_ report: FinisherReport, of id: StreamID) {
        book[life: id]?.machine.finisherProgressed(at: clock().instant)
        switch report {
        case .progress(let permille): book.update(id) { $0.finishing.permille = permille }
        case .leftOut(let layer, let segment):
            log(
                .warning, "segment left out of the recording", id,
                ["layer": "\(layer)", "segment": "\(segment)"])
        case .withoutThumbnails(let reason):
            log(.warning, "thumbnails cannot be made", id, ["reason": "\(reason)"])
        case .withoutFile(let name, let reason):
            log(
                .warning, "file of tracks cannot be made", id,
                ["file": "\(name)", "reason": "\(reason)"])
        case .finished(let assets): log(.info, "assets made", id, ["count": "\(assets)"])
        case .failed(let reason, _): log(.error, "finisher failed", id, ["reason": "\(reason)"])
        }
    }

    func finisherExited(_ exit: FinisherExit, of id: StreamID) {
        // One without a life was left to the next start.
        let order = book[life: id].map(\.processes.killedFinisherFor) ?? .serverStopped
        book[life: id]?.processes.finisherEnded()
        finisherQueue.remove(id)
        var exit = exit
        switch exit {
        case .finished: book.update(id) { $0.finishing.error = nil }
        case .noRoom(let reason):
            book.update(id) { $0.finishing.error = reason }
            log(.warning, "finisher exited", id, ["reason": "\(reason)"])
        case .failed(let reason, let ending):
            let death = kernel.death(
                .finisher, ending, orderedFor: order, message: reason, at: clock())
            note(death, of: id)
            exit = .failed(reason: "\(death)", ending)
            book.update(id) { $0.finishing.error = "\(death)" }
        }
        if let end = book[life: id]?.machine.finisherExited(exit, at: clock().instant) {
            changed(id, to: end.status, end)
        }
        startFinishers(at: clock().instant)
    }
}
