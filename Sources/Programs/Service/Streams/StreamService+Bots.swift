import Catalogue
import ChildProcesses
import Logging
import MediaKernel
import Recording
import Rooms
import Streams
import Tokens

extension StreamService {
    func launch(_ id: StreamID, resumes: Bool) {
        guard var entry = entries[id] else { return }
        let (signals, continuation) = AsyncStream.makeStream(of: BotSignal.self)
        entry.signals?.finish()
        entry.signals = continuation
        entry.killedBotFor = nil
        entry.generation += 1
        entries[id] = entry
        let generation = entry.generation
        errand(for: id) { service in
            await service.launch(id, resumes: resumes, generation: generation, signals: signals)
        }
    }

    /// The bot's settings are written first; what it is told meanwhile waits for it.
    private func launch(
        _ id: StreamID, resumes: Bool, generation: Int, signals: AsyncStream<BotSignal>
    ) async {
        guard let entry = entries[id], entry.generation == generation, let stream = archive[id]
        else { return }
        var plan = stream.plan
        if entry.mistrustsHardware { plan.encoder = StreamSettings.Encoder.x264.rawValue }
        let configuration = BotConfiguration(
            room: stream.room, stream: id, plan: plan, isRecorded: entry.order != nil,
            isRecordingPaused: stream.recordingPause == .paused,
            logLevel: settings.logLevel, logFormat: settings.logFormat)
        let file: String
        do {
            file = try await persister.onDisk { try $0.write(configuration, to: entry.directory) }
        } catch {
            botExited(
                .notStarted(
                    reason: "\(entry.directory): \(error.systemReason)",
                    failure: error.isForWantOfRoom ? .diskFull : nil), of: id,
                generation: generation)
            return
        }
        guard entries[id]?.generation == generation else { return }
        started(id, resumes: resumes)
        launchQueue.yield(
            .bot(
                BotLaunch(
                    job: BotJob(
                        stream: id, room: stream.room, endpoint: endpoint, token: "",
                        outputDirectory: entry.directory, configurationFile: file),
                    generation: generation, signals: signals)))
    }

    private func started(_ id: StreamID, resumes: Bool) {
        entries[id]?.statistics.launches += 1
        if resumes {
            counts.botRestarts += 1
            archive.update(id) { stream in
                stream.health.restarts += 1
                stream.health.frameRate = nil
                stream.updatedAt = clock().time
            }
        }
        log(.info, resumes ? "bot restarted" : "bot started", id)
        guard let stream = archive[id] else { return }
        // Its successor finds out anew what it cannot decode.
        if !stream.health.tracksLeftOut.isEmpty { leftOut([], of: id) }
        // Its successor makes the whole picture, until it is short of CPU itself.
        if stream.isReduced, stream.health.degradation != nil {
            degraded(
                id, frameRate: stream.plan.frameRate ?? 0, layersThinned: 0,
                videosLeftOut: 0)
        }
    }

    func supervise(_ launch: BotLaunch) async {
        let id = launch.job.stream
        let exit: BotExit
        do {
            var job = launch.job
            // Valid for longer than a stream may last: a bot that reconnects shows it again.
            job.token = try authority.makeRoomToken(
                room: job.room, user: "recorder", role: Policy.recorderRole,
                at: clock().time, lifetime: TokenAuthority.lifetimeMaximum)
            exit = await launcher.run(job, signals: launch.signals) { report in
                await self.reported(report, of: id, generation: launch.generation)
            }
        } catch {
            exit = .notStarted(reason: "no token can be made: \(error)")
        }
        botExited(exit, of: id, generation: launch.generation)
    }

    func reported(_ report: BotReport, of id: StreamID, generation: Int) {
        guard var entry = entries[id], entry.generation == generation else { return }
        let now = clock().instant
        var orders: [StreamMachine.Order] = []
        switch report {
        case .joined:
            log(.info, "bot joined", id)
            entry.machine.botWorked(at: now)
        case .atWork: entry.machine.botWorked(at: now)
        case .running:
            entry.runningIsHeldUntil = runningIsHeld(id, entry, at: now)
            if entry.runningIsHeldUntil == nil { orders = entry.machine.botRunning(at: now) }
            if entry.statistics.startedAfter == nil {
                entry.statistics.startedAfter = now - entry.requestedAt
                counts.ran(after: now - entry.requestedAt)
            }
        case .tiles(let tiles): entry.statistics.tiles = tiles
        case .segment: entry.machine.botPublished(at: now)
        case .warning(let text):
            counts.botWarnings += 1
            log(.warning, "bot warning", id, ["warning": "\(text)"])
        case .reduction(let frameRate, let layersThinned, let videosLeftOut):
            degraded(
                id, frameRate: frameRate, layersThinned: layersThinned,
                videosLeftOut: videosLeftOut)
        case .leftOut(let tracks): leftOut(tracks, of: id)
        case .frameRate(let frameRate): measured(id, frameRate: frameRate)
        case .stopped(_, let totals): entry.statistics.totals = totals
        case .failed(let reason, _): log(.error, "bot failed", id, ["reason": "\(reason)"])
        }
        entries[id] = entry
        carryOut(orders, of: id)
    }

    /// - Parameter tracks: all that are; nothing is logged, which a warning for each has done.
    private func leftOut(_ tracks: [BotReport.LeftOutTrack], of id: StreamID) {
        let time = clock().time
        archive.update(id) { stream in
            stream.health.tracksLeftOut = tracks.map {
                HLSVariant.LeftOutTrack(
                    track: TrackID($0.track), peer: PeerID($0.peerID), name: $0.peer,
                    reason: $0.reason)
            }
            stream.updatedAt = time
        }
        announce(id)
    }

    /// What the segments hold, which is less than the plan says where pictures come too late.
    private func measured(_ id: StreamID, frameRate: Double) {
        guard let before = archive[id] else { return }
        let time = clock().time
        archive.update(id) { stream in
            stream.health.frameRate = frameRate
            stream.updatedAt = time
            if stream.isReduced, stream.health.degradation == nil {
                stream.health.degradation = LiveStream.Degradation(
                    frameRate: stream.plan.frameRate ?? frameRate, layersThinned: 0,
                    videosLeftOut: 0, changes: 0, changedAt: time)
            }
        }
        guard let after = archive[id], after.isReduced != before.isReduced else { return }
        log(
            after.isReduced ? .warning : .info,
            after.isReduced ? "fewer pictures than wanted" : "as many pictures as wanted", id,
            [
                "frame_rate": "\(frameRate)",
                "wanted": "\(after.plan.frameRate ?? frameRate)",
            ])
    }

    private func degraded(
        _ id: StreamID, frameRate: Double, layersThinned: Int, videosLeftOut: Int
    ) {
        counts.adaptations += 1
        let time = clock().time
        archive.update(id) { stream in
            let changes = (stream.health.degradation?.changes ?? 0) + 1
            stream.health.degradation = LiveStream.Degradation(
                frameRate: frameRate, layersThinned: layersThinned, videosLeftOut: videosLeftOut,
                changes: changes, changedAt: time)
            stream.updatedAt = time
        }
        log(
            .warning, "picture adapted to the CPU", id,
            [
                "frame_rate": "\(frameRate)", "layers_thinned": "\(layersThinned)",
                "videos_left_out": "\(videosLeftOut)",
            ])
    }

    func botExited(_ exit: BotExit, of id: StreamID, generation: Int) {
        guard entries[id]?.generation == generation else { return }
        entries[id]?.signals?.finish()
        entries[id]?.signals = nil
        log(.info, "bot exited", id, ["exit": "\(exit)"])
        var exit = exit
        switch exit {
        case .finished: break
        case .notStarted(let reason, _):
            note(
                ProcessDeath(
                    role: .bot, cause: .notStarted, message: reason, at: clock().time), of: id)
        case .failed(let reason, let failure, let ending):
            let death = died(
                .bot, ending, orderedFor: entries[id]?.killedBotFor,
                message: reason.isEmpty ? nil : reason, of: id)
            exit = .failed(reason: "\(death)", failure: failure, ending)
            // It may have been the hardware, which the next bot would fail on as well. A driver that
            // crashes takes the bot with it, before it can say anything.
            if !ending.isKill { entries[id]?.mistrustsHardware = true }
        }
        tellRunning(id)
        carryOut(entries[id]?.machine.botExited(exit, at: clock().instant) ?? [], of: id)
    }

    func finishPlaylists(of id: StreamID) {
        errand(for: id) { await $0.playlistsFinished(of: id) }
    }

    private func playlistsFinished(of id: StreamID) async {
        guard let directory = entries[id]?.directory else { return }
        do {
            let count = try await persister.onDisk { try $0.finishPlaylists(in: directory) }
            if count > 0 { log(.warning, "playlists ended", id, ["count": "\(count)"]) }
        } catch {
            log(.error, "playlists cannot be ended", id, ["error": "\(error)"])
        }
    }

    /// Whatever the bots of a stream that never ran left behind, except the record. They are gone.
    func discard(_ id: StreamID) {
        errand(for: id) { await $0.discarded(id) }
    }

    private func discarded(_ id: StreamID) async {
        guard let entry = entries[id] else { return }
        do {
            try await persister.onDisk { try $0.discard(entry.directory, entry.place) }
        } catch {
            log(.error, "the stream's files cannot be removed", id, ["error": "\(error)"])
        }
    }
}
