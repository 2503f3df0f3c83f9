import Logging
public import MediaKernel
import Signing
import Stage
public import Streams

/// How streams come on air.
extension StreamService {
    public func start(
        room: RoomID, _ request: LiveStreamRequest, startedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        do throws(LiveStreamError) {
            return try await startUncounted(room: room, request, startedBy: startedBy)
        } catch {
            countRefusal(error)
            throw error
        }
    }

    /// A start whose refusal is not counted, as when it is tried again and again.
    func startUncounted(
        room: RoomID, _ request: LiveStreamRequest, startedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        try await persister.check()
        var settings: StreamSettings
        var scene: StreamScene
        repeat {
            await startsOver(in: room)
            settings = try await self.settings(of: room)
            scene = await observer?.scene(of: room) ?? StreamScene()
        } while book.starts.isBusy(room)
        // From here to the reservation nothing may suspend, or two starts could both count.
        guard !isShuttingDown else { throw .shuttingDown }
        var request = request
        request.recording = settings.recording(for: request)
        let admission = try admission(of: request, in: room, settings, scene)
        book.starts.begin(room, admission.begun)
        var begun: [StreamID] = []
        defer { book.starts.end(room, left: admission.begun - begun.count) }
        var result: [LiveStream] = []
        do throws(LiveStreamError) {
            for answer in admission.answers {
                switch answer {
                case .running(let stream): result.append(book[stream.id] ?? stream)
                case .begin(let plan):
                    let stream = try await begin(
                        plan, of: room, settings, request: request, scene: scene,
                        startedBy: startedBy)
                    begun.append(stream.id)
                    result.append(stream)
                }
            }
        } catch {
            for id in begun { requestStop(id, for: .variantRefused) }
            await settle(begun)
            throw error
        }
        for warning in admission.warnings {
            log(
                .warning, "a start may not be what was meant", result[0].id,
                ["reason": "\(warning)"])
        }
        result[0].warnings = admission.warnings
        return result
    }

    private func admission(
        of request: LiveStreamRequest, in room: RoomID, _ settings: StreamSettings,
        _ scene: StreamScene
    ) throws(LiveStreamError) -> StreamAdmission {
        let destinations = settings.destinations(of: request.kind)
        let layout: Layout
        do throws(LayoutError) {
            layout = try settings.layout(for: request)
        } catch {
            throw .invalidLayout(error.description)
        }
        return try StreamAdmission(
            of: request, in: room, destination: destinations.named(request.destination),
            running: book.running(in: room, request.kind), scene: scene,
            capacity: capacity(settings)
        ) { (variant) throws(LiveStreamError) in
            guard destinations.knows(request.destination) else {
                throw .unknownDestination(request.destination)
            }
            return try settings.plan(of: variant, for: request, layout: layout)
        }
    }

    /// How streams are made in a room.
    func settings(of room: RoomID) async throws(LiveStreamError) -> StreamSettings {
        try await observer?.settings(of: room) ?? settings
    }

    func countRefusal(_ error: LiveStreamError) {
        switch error {
        case .tooManyStreams, .tooManyVariants, .insufficientCPU: book.counts.refused += 1
        default: break
        }
    }

    /// Waits while a start in the room waits for a disk.
    func startsOver(in room: RoomID) async {
        while book.starts.isBusy(room) {
            await withCheckedContinuation { book.starts.wait(for: room, $0) }
        }
    }

    /// Puts a stream on air that was admitted: when it is in a file of its own.
    private func begin(
        _ plan: StreamPlan, of room: RoomID, _ settings: StreamSettings,
        request: LiveStreamRequest, scene: StreamScene, startedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream {
        let destinations = settings.destinations(of: request.kind)
        let (instant, time) = clock()
        let id = ids.next(at: time, random: UInt32.random(in: 0...UInt32.max))
        var stream = LiveStream(
            id: id, room: room, kind: request.kind, session: scene.session, plan: plan,
            playback: try playback(of: id, in: room, settings, request: request, at: time),
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
        insert(
            stream,
            StreamLife(
                machine: StreamMachine(
                    rules: rules.fitting(plan.segmentDuration), isRecorded: order != nil,
                    isEmpty: rooms.isEmpty(room), isIdle: rooms.isIdle(room),
                    at: clock().instant),
                destination: destinations.named(request.destination), directory: directory,
                requestedAt: instant, order: order, place: place))
        return book[id] ?? stream
    }

    private func insert(_ stream: LiveStream, _ life: StreamLife) {
        let id = stream.id
        book.starts.inserted()
        book.insert(stream, life)
        if let record = book.record(of: id) { persister.save(record) }
        log(
            .info, "stream requested", id,
            ["by": "\(stream.startedBy.isEmpty ? "server" : stream.startedBy)"])
        for life in book.lives { life.processes.giveWay() }
        announce(id)
        carryOut(book[life: id]?.machine.timePassed(at: clock().instant) ?? [], of: id)
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
}
