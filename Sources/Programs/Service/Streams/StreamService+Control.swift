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
        func ask() -> [StreamID] {
            let streams = book.onAir(in: room, kind).filter { stream in
                metadata?.contains(stream.plan.variant.metadata) ?? true
            }
            for stream in streams { requestStop(stream.id, by: stoppedBy) }
            return streams.map(\.id)
        }
        // First the streams on air, which need not wait for a start that waits for its disk.
        var ids = ask()
        if book.starts.isBusy(room) {
            await startsOver(in: room)
            ids += ask().filter { !ids.contains($0) }
        }
        guard !ids.isEmpty else {
            guard let latest = try await current(room: room, kind: kind) else {
                throw .notFound(
                    "room \(room) never had a \(kind == .stream ? "live stream" : "recording")")
            }
            return [latest]
        }
        await settle(ids)
        return ids.compactMap { book[$0] }
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
        var changed = book[stream] ?? record
        changed.warnings = scene.warnings(of: change)
        for warning in changed.warnings {
            log(.warning, "a change may not be what was meant", stream, ["reason": "\(warning)"])
        }
        return changed
    }
}
