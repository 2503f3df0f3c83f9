import Catalogue
import Foundation
import HLS
import Logging
import MediaKernel
import Rooms
import Signing
import Stage
import Streams

extension StreamService {
    func begin(
        _ variant: LiveStreamVariant, of room: RoomID, _ settings: StreamSettings,
        request: LiveStreamRequest,
        layout: Layout, scene: StreamScene, startedBy: PeerID?
    ) throws(LiveStreamError) -> LiveStream {
        let destinations = settings.destinations(of: request.kind)
        guard destinations.knows(request.destination) else {
            throw .unknownDestination(request.destination)
        }
        let plan = try settings.plan(of: variant, for: request, layout: layout)
        let (instant, time) = clock()
        let id = ids.next(at: time, random: UInt32.random(in: 0...UInt32.max))
        var stream = LiveStream(
            id: id, room: room, kind: request.kind, session: scene.session, plan: plan,
            playback: try playback(of: id, in: room, settings, request: request, at: time),
            createdAt: time, startedBy: startedBy?.rawValue ?? "")
        stream.origin = scene.origin
        let directory = "\(settings.outputDirectory)/\(stream.directory)"
        let recording = try order(
            request, settings, room: room, ladder: plan.ladder, at: time)
        let entry = StreamOnAir(
            machine: StreamMachine(
                rules: destinations.rules(for: request.destination, settings.rules)
                    .fitting(plan),
                isRecorded: recording != nil,
                isEmpty: occupancies[room] == nil,
                isIdle: occupancies[room]?.publishers ?? 0 == 0, at: instant),
            destination: destinations.named(request.destination), directory: directory,
            requestedAt: instant,
            order: recording?.0, place: recording?.1)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            try StreamKeeper.note(record(of: stream, entry))
        } catch {
            try? FileManager.default.removeItem(atPath: directory)
            giveBackPlace(of: entry)
            throw .storage("\(directory): \(error.systemReason)")
        }
        archive.insert(stream)
        entries[id] = entry
        saveQueue.yield(.record(record(of: stream, entry)))
        log(.info, "stream requested", id, ["by": "\(startedBy?.rawValue ?? "server")"])
        for entry in entries.values { entry.finisherSignals?.yield(.giveWay) }
        announce(id)
        let orders = entries[id]?.machine.timePassed(at: instant) ?? []
        carryOut(orders, of: id)
        return archive[id] ?? stream
    }

    private func playback(
        of id: StreamID, in room: RoomID, _ settings: StreamSettings, request: LiveStreamRequest,
        at time: UnixTime
    ) throws(LiveStreamError) -> LiveStream.Playback {
        guard request.kind == .stream else { return LiveStream.Playback() }
        let lifetime =
            settings.destinations(of: request.kind).signedPlayback(for: request.destination)
            ?? settings.signedPlayback
        let link = try lifetime.map { (lifetime) throws(LiveStreamError) in
            try signedLink(to: id, until: time + lifetime)
        }
        return LiveStream.Playback(
            url: settings.playbackURL(of: id, in: room, link: link), isSigned: link != nil)
    }

    /// What stands for a stream in its address, until a time.
    private func signedLink(
        to id: StreamID, until expiry: UnixTime
    ) throws(LiveStreamError) -> String {
        guard let link = AssetLink(asset: id.rawValue, expiry: expiry) else {
            throw .storage("no address can be signed that holds until \(expiry)")
        }
        return link.signed(with: playbackKey)
    }

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

    func record(of stream: LiveStream, _ entry: StreamOnAir) -> StreamKeeper.Record {
        StreamKeeper.Record(
            file: StreamFile(
                stream: CatalogueStream(stream, assetDirectory: entry.place?.directory),
                order: entry.order), directory: entry.directory)
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
            case .finish: queueFinisher(id)
            case .killFinisher:
                entries[id]?.killedFinisherFor = .silent
                entries[id]?.finisherSignals?.yield(.kill)
            case .changed(let status, let end): changed(id, to: status, end)
            }
        }
    }

    /// A state that is not final is told at once; a final one when it is written down.
    func changed(_ id: StreamID, to status: LiveStream.Status, _ end: StreamEnd?) {
        guard let entry = entries[id], var stream = archive[id] else { return }
        counts.changed(to: status)
        let time = clock().time
        stream.status = status
        stream.updatedAt = time
        stream.end = end ?? stream.end
        if status == .running { stream.startedAt = time }
        if !status.isOnAir, stream.stoppedAt == nil { stream.stoppedAt = time }
        recordChat(of: stream, entry)
        log(
            status == .failed ? .error : .info, "stream \(status.rawValue)", id,
            end.map { ["reason": "\($0)"] } ?? [:])
        let record = record(of: stream, entry)
        saveQueue.yield(.record(record))
        guard !status.isFinal else { return }
        do {
            try StreamKeeper.note(record)
        } catch {
            log(.error, "the stream's record cannot be written", id, ["error": "\(error)"])
        }
        archive.update(id) { $0 = stream }
        announce(id)
    }

    /// The chat is kept from the first segment to the stop.
    private func recordChat(of stream: LiveStream, _ entry: StreamOnAir) {
        if stream.status == .running, entry.order != nil {
            chat.begin(
                stream.id, in: stream.room, directory: entry.directory,
                isPaused: stream.recordingPause == .paused)
        } else {
            chat.end(stream.id, in: stream.room)
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
