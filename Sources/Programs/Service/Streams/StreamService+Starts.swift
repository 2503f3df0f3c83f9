import Logging
public import MediaKernel
public import Streams

/// Starts of streams.
extension StreamService {
    public func start(
        room: RoomID, _ request: LiveStreamRequest, startedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        do throws(LiveStreamError) {
            let streams = try await startUncounted(room: room, request, startedBy: startedBy)
            for warning in streams[0].warnings {
                log(
                    .warning, "a start may not be what was meant", streams[0].id,
                    ["reason": "\(warning)"])
            }
            return streams
        } catch {
            book.counts.refused(error)
            throw error
        }
    }

    /// Starts streams without counting a refusal or logging warnings: nobody asked for those that
    /// start by themselves, one for each destination, and refused ones are tried again.
    func startUncounted(
        room: RoomID, _ request: LiveStreamRequest, startedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        guard !isShuttingDown else { throw .shuttingDown }
        var settings: StreamSettings
        var scene: StreamScene
        repeat {
            await startsOver(in: room)
            settings = try await self.settings(of: room)
            scene = await observer?.scene(of: room) ?? StreamScene()
        } while book.starts.isBusy(room)
        // Nothing may suspend from here to the reservation; otherwise two starts could take the
        // same place.
        guard !isShuttingDown else { throw .shuttingDown }
        var request = request
        request.recording = settings.recording(for: request)
        if request.kind == .recording, settings.automatic.recordsSoundAlone {
            request.audio.only = true
        }
        // Compared with the plans of running streams, which have what there will be.
        if request.container != nil { request.container = try settings.container(for: request) }
        let admission = try settings.admission(
            of: request, in: room, beside: book.running(in: room, request.kind), scene: scene,
            capacity: settings.capacity(book, kernel, at: clock().instant))
        book.starts.begin(room, admission.begun)
        // The same for all variants: the end of the room stops either all of them or none.
        let requestedAt = clock().instant
        var begun: [StreamID] = []
        defer { book.starts.end(room, left: admission.begun - begun.count) }
        // After the reservation, so that a stop during a hang waits for this start.
        try await persister.check()
        let warnings = await persister.warnings(
            ofPicturesIn: admission.layouts, root: settings.outputDirectory)
        var result: [LiveStream] = []
        do throws(LiveStreamError) {
            for answer in admission.answers {
                switch answer {
                case .running(let stream): result.append(book[stream.id] ?? stream)
                case .begin(let plan):
                    let stream = try await begin(
                        plan, of: room, settings, request: request, scene: scene,
                        startedBy: startedBy, at: requestedAt)
                    begun.append(stream.id)
                    result.append(stream)
                }
            }
        } catch {
            for id in begun { requestStop(id, for: .variantRefused) }
            await settle(begun)
            throw error
        }
        result[0].warnings = admission.warnings + warnings
        return result
    }

    /// The settings of streams in a room.
    func settings(of room: RoomID) async throws(LiveStreamError) -> StreamSettings {
        try await observer?.settings(of: room) ?? settings
    }

    /// Waits while a start in the room waits for a disk.
    func startsOver(in room: RoomID) async {
        while book.starts.isBusy(room) {
            await withCheckedContinuation { book.starts.wait(for: room, $0) }
        }
    }

    /// Puts an admitted stream on air, once its record file is written.
    private func begin(
        _ plan: StreamPlan, of room: RoomID, _ settings: StreamSettings,
        request: LiveStreamRequest, scene: StreamScene, startedBy: PeerID?,
        at requestedAt: Instant
    ) async throws(LiveStreamError) -> LiveStream {
        let destinations = settings.destinations(of: request.kind)
        let time = clock().time
        let id = ids.next(at: time, random: UInt32.random(in: 0...UInt32.max))
        var stream = LiveStream(
            id: id, room: room, kind: request.kind, session: scene.session, plan: plan,
            playback: try settings.playback(
                of: id, in: room, for: request, key: playbackKey, at: time),
            createdAt: time, startedBy: startedBy?.rawValue ?? "")
        stream.origin = scene.origin
        let directory = "\(settings.outputDirectory)/\(stream.directory)"
        let order = settings.order(for: request, ladder: plan.ladder)
        let place = try await persister.onDisk { [stream] (disk) throws(LiveStreamError) in
            try disk.begin(stream, in: directory, order: order)
        }
        guard !isShuttingDown else {
            await persister.onDisk { $0.takeBack(directory, place) }
            throw .shuttingDown
        }
        let rules = destinations.rules(for: request.destination, settings.rules)
            .waiting(request.patience)
        let life = StreamLife(
            machine: StreamMachine(
                rules: rules.fitting(plan), isRecorded: order != nil,
                isEmpty: rooms.isEmpty(room), isIdle: rooms.isIdle(room),
                at: clock().instant),
            destination: destinations.named(request.destination), directory: directory,
            requestedAt: requestedAt, order: order, place: place)
        book.starts.inserted()
        book.insert(stream, life)
        if let record = book.record(of: id) { persister.save(record) }
        log(
            .info, "stream requested", id,
            ["by": "\(stream.startedBy.isEmpty ? "server" : stream.startedBy)"])
        for life in book.lives { life.processes.giveWay() }
        announce(id)
        carryOut(book[life: id]?.machine.timePassed(at: clock().instant), of: id)
        return book[id] ?? stream
    }
}
