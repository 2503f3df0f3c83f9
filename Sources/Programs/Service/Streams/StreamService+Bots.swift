import ChildProcesses
import ControlAPI
import Foundation
import Logging
import MediaKernel
import Streams

/// The bots of the streams.
extension StreamService {
    func launch(_ id: StreamID, resumes: Bool) {
        guard let signals = book[life: id]?.processes.nextBot(),
            let generation = book[life: id]?.processes.generation
        else { return }
        errand(for: id) { service in
            await service.launch(id, resumes: resumes, generation: generation, signals: signals)
        }
    }

    /// Writes the bot's configuration first; signals wait in the meantime.
    private func launch(
        _ id: StreamID, resumes: Bool, generation: Int, signals: AsyncStream<BotSignal>
    ) async {
        guard let life = book[life: id], life.processes.generation == generation,
            let stream = book[id]
        else { return }
        var plan = stream.plan
        if life.processes.mistrustsHardware {
            plan.encoder = StreamSettings.Encoder.x264.rawValue
        }
        var prepared = BotConfiguration(
            room: stream.room, stream: id, plan: plan, isRecorded: life.order != nil,
            isRecordingPaused: stream.recordingPause == .paused,
            logLevel: botLogLevel.current.rawValue, logFormat: settings.log.format)
        prepared.picturesDirectory = URL(fileURLWithPath: settings.picturesDirectory).path
        prepared.speech = settings.speech(for: plan)
        let configuration = prepared
        let file: String
        do {
            file = try await persister.onDisk { try $0.write(configuration, to: life.directory) }
        } catch {
            botExited(
                .notStarted(
                    reason: "\(life.directory): \(error.systemReason)",
                    failure: error.isForWantOfRoom ? .diskFull : nil), of: id,
                generation: generation)
            return
        }
        guard book[life: id]?.processes.generation == generation else { return }
        let time = clock().time
        book.updateStatistics(of: id) {
            $0.launches += 1
            $0.load.botStarted()
        }
        if resumes { book.restarted(id, at: time) }
        log(.info, resumes ? "bot restarted" : "bot started", id)
        let current = book[id] ?? stream
        edges?.began(current)
        // The new bot finds out anew which tracks it cannot decode, and makes the whole picture
        // until it runs short of CPU itself.
        if !current.health.tracksLeftOut.isEmpty {
            book.leftOut([], of: id, at: time)
            announce(id)
        }
        if current.isReduced, current.health.degradation != nil {
            degraded(
                id, frameRate: current.plan.frameRate ?? 0, layersThinned: 0, videosLeftOut: 0)
        }
        supervisor.startBot(
            of: stream, in: life.directory, configuration: file, generation: generation,
            signals: signals)
    }

    private func degraded(
        _ id: StreamID, frameRate: Double, layersThinned: Int, videosLeftOut: Int
    ) {
        book.degraded(
            id, frameRate: frameRate, layersThinned: layersThinned, videosLeftOut: videosLeftOut,
            at: clock().time)
        log(
            .warning, "picture adapted to the CPU", id,
            [
                "frame_rate": "\(frameRate)", "layers_thinned": "\(layersThinned)",
                "videos_left_out": "\(videosLeftOut)",
            ])
    }

    /// Records the death of a stream's process, and logs it.
    func note(_ death: ProcessDeath, of id: StreamID) {
        book.died(death, of: id)
        var metadata: Logger.Metadata = [
            "cause": "\(death.cause.rawValue)", "exit": "\(death)",
        ]
        if let signal = death.signal { metadata["signal"] = "\(signal)" }
        if let status = death.status { metadata["status"] = "\(status)" }
        log(.warning, "\(death.role.rawValue) died", id, metadata)
        // The next state would save it too, but an operator may look for the cause earlier.
        errand(for: id) { service in
            guard let record = service.book.record(of: id) else { return }
            await service.persister.note(record)
        }
    }
}

extension StreamService: StreamProcessObserver {
    func reported(_ report: BotReport, of id: StreamID, generation: Int) {
        guard let life = book[life: id], life.processes.generation == generation,
            let stream = book[id]
        else { return }
        let now = clock().instant
        switch report {
        case .joined:
            log(.info, "bot joined", id)
            book[life: id]?.machine.botWorked(at: now)
        case .atWork: book[life: id]?.machine.botWorked(at: now)
        case .running:
            book.ran(id, at: now)
            let end = life.runningIsHeld(
                stream, hasCopies: settings.playback.copyURL != nil, at: now)
            book[life: id]?.runningIsHeldUntil = end
            if end == nil, book[life: id]?.machine.botRunning(at: now) == true {
                changed(id, to: .running, nil)
            }
        case .tiles(let tiles): book.updateStatistics(of: id) { $0.tiles = tiles }
        case .segment(let layer, _, let bytes):
            book[life: id]?.machine.botPublished(at: now)
            book.updateStatistics(of: id) { $0.load.published(bytes, layer: layer, at: now) }
        case .usage(let seconds, let megabytes):
            book.updateStatistics(of: id) {
                $0.load.used(cpuSeconds: seconds, megabytes: megabytes, at: now)
            }
        case .part(let part): edges?.published(part, of: id)
        case .segmentListed(let layer, let segment):
            edges?.listed(segment: segment, layer: layer, of: id)
        case .warning(let text):
            book.counts.botWarnings += 1
            log(.warning, "bot warning", id, ["warning": "\(text)"])
        case .reduction(let frameRate, let layersThinned, let videosLeftOut):
            degraded(
                id, frameRate: frameRate, layersThinned: layersThinned,
                videosLeftOut: videosLeftOut)
        case .leftOut(let tracks):
            // Not logged, since each track has caused a warning already.
            book.leftOut(tracks, of: id, at: clock().time)
            announce(id)
        case .frameRate(let frameRate):
            guard let isReduced = book.measured(id, frameRate: frameRate, at: clock().time)
            else { return }
            log(
                isReduced ? .warning : .info,
                isReduced ? "fewer pictures than wanted" : "as many pictures as wanted", id,
                [
                    "frame_rate": "\(frameRate)",
                    "wanted": "\(book[id]?.plan.frameRate ?? frameRate)",
                ])
        case .push(let report): pushed(report, of: id)
        case .caption(let words):
            guard let request = CaptionRequest(heard: words, at: clock().time.milliseconds)
            else { return }
            // Not awaited: a disk that hangs must not hold up the bot's other reports. Words beyond
            // a limit are left out.
            Task {
                _ = try? await addCaptions(
                    [request], language: words.language, to: id, addedBy: nil)
            }
        case .identity(let peer, let identity):
            book.updateStatistics(of: id) { $0.attendance.add(identity, of: peer) }
        case .message(let message):
            chat.heard(message, in: stream.room, of: id, at: clock().time)
        // With the server's own lines: see `BotLog`.
        case .log: break
        case .stopped(_, let totals): book.updateStatistics(of: id) { $0.totals = totals }
        case .failed(let reason, _): log(.error, "bot failed", id, ["reason": "\(reason)"])
        }
    }

    func botExited(_ exit: BotExit, of id: StreamID, generation: Int) {
        guard let life = book[life: id], life.processes.generation == generation else { return }
        book[life: id]?.processes.botEnded()
        log(.info, "bot exited", id, ["exit": "\(exit)"])
        var exit = exit
        switch exit {
        case .finished: break
        case .notStarted(let reason, _):
            edges?.interrupted(id)
            note(
                ProcessDeath(
                    role: .bot, cause: .notStarted, message: reason, at: clock().time), of: id)
        case .failed(let reason, let failure, let ending):
            edges?.interrupted(id)
            let death = kernel.death(
                .bot, ending, orderedFor: life.processes.killedBotFor, message: reason, at: clock())
            note(death, of: id)
            exit = .failed(reason: "\(death)", failure: failure, ending)
            book[life: id]?.processes.botFailed(ending)
        }
        tellRunning(id)
        carryOut(book[life: id]?.machine.botExited(exit, at: clock().instant), of: id)
    }
}
