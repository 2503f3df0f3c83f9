import ChildProcesses
import Logging
public import MediaKernel
import Stage
public import Streams

/// Requests about existing streams.
extension StreamService {
    public func checkStorage() async throws(LiveStreamError) {
        try await persister.check(.directories)
    }

    public func stop(
        room: RoomID, kind: LiveStream.Kind, metadata: Set<String>?, stoppedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        let ids = await stopAll(in: room) { stream in
            guard stream.kind == kind,
                metadata?.contains(stream.plan.variant.metadata) ?? true
            else { return false }
            requestStop(stream.id, by: stoppedBy)
            return true
        }
        guard !ids.isEmpty else {
            guard let latest = try await current(room: room, kind: kind) else {
                throw .notFound(
                    "room \(room) never had a \(kind == .stream ? "live stream" : "recording")")
            }
            return [latest]
        }
        return ids.compactMap { book[$0] }
    }

    /// Stops streams of a room and waits until their new state is told: those on air at once, and
    /// those that a start puts on air meanwhile, which may wait for its disk.
    ///
    /// - Parameter stop: asks a stream to stop; false for one that goes on.
    /// - Returns: the streams that were asked.
    func stopAll(in room: RoomID, _ stop: (LiveStream) -> Bool) async -> [StreamID] {
        var ids = book.onAir(in: room).filter(stop).map(\.id)
        await startsOver(in: room)
        ids += book.onAir(in: room).filter { !ids.contains($0.id) && stop($0) }.map(\.id)
        await settle(ids)
        return ids
    }

    public func stop(
        stream: StreamID, stoppedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream {
        requestStop(stream, by: stoppedBy)
        await settle([stream])
        guard let record = try await self.stream(stream) else {
            throw .notFound("stream \(stream)")
        }
        return record
    }

    public func previewWanted(of stream: StreamID) {
        let now = clock().instant
        guard let life = book[life: stream], life.status == .running else { return }
        if let told = life.previewToldAt, now - told < StreamPreview.wishInterval { return }
        book[life: stream]?.previewToldAt = now
        life.processes.tell(.preview(seconds: StreamPreview.wishSeconds))
    }

    public func update(
        stream: StreamID, _ change: LiveStreamChange
    ) async throws(LiveStreamError) -> LiveStream {
        guard let record = try await self.stream(stream) else {
            throw .notFound("stream \(stream)")
        }
        let scene = await observer?.scene(of: record.room) ?? StreamScene()
        guard let plan = book[stream]?.plan, let life = book[life: stream],
            life.status.isOnAir, life.status != .stopping
        else { throw .notOnAir(stream) }
        // Checked before any change, since it may be refused.
        if let json = change.layout {
            let layout: Layout
            do throws(LayoutError) {
                layout = try plan.layout.changed(by: json, pictures: plan.pictureHosts)
            } catch {
                throw .invalidLayout(error.description)
            }
            life.processes.tell(.layout(layout))
            book.update(stream) { $0.plan.layout = layout }
            log(.info, "layout changed", stream, ["layout": "\(layout.name.rawValue)"])
        }
        if let roles = change.roles {
            let names = roles.names
            life.processes.tell(.roles(names.map(Set.init)))
            book.update(stream) { $0.plan.audio.roles = names }
            log(
                .info, "audible roles changed", stream,
                ["roles": "\(names?.joined(separator: ",") ?? "all")"])
        }
        let time = clock().time
        book.update(stream) { $0.updatedAt = time }
        let layouts = change.layout == nil ? [] : [book[stream]?.plan.layout].compactMap { $0 }
        let warnings = await persister.warnings(
            ofPicturesIn: layouts, root: settings.outputDirectory)
        var changed = book[stream] ?? record
        changed.warnings = scene.warnings(of: change) + warnings
        for warning in changed.warnings {
            log(.warning, "a change may not be what was meant", stream, ["reason": "\(warning)"])
        }
        return changed
    }
}
