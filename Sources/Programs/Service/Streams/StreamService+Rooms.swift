import Logging
public import MediaKernel
public import Streams

/// What the rooms tell: streams end when nobody is there any more, and some begin by themselves.
extension StreamService {
    /// A room was looked at; about once a second, and for the last time when it is empty.
    ///
    /// - Returns: the starts that come of it. Rooms do not wait for them, since a disk may hang.
    @discardableResult
    public func seen(_ room: RoomID, _ occupancy: RoomOccupancy) -> Task<Void, Never>? {
        let now = clock().instant
        rooms.seen(room, occupancy)
        for stream in book.onAir(in: room) {
            if occupancy.isEmpty {
                book[life: stream.id]?.machine.roomEmptied(at: now)
            } else {
                book[life: stream.id]?.machine.roomOccupied()
            }
            if occupancy.publishers == 0 {
                book[life: stream.id]?.machine.publishingEnded(at: now)
            } else {
                book[life: stream.id]?.machine.publishingBegan()
            }
        }
        guard !isShuttingDown, rooms.looked(at: room, occupancy) else { return nil }
        return Task {
            while let look = rooms.nextLook(at: room) { await startByItself(room, look) }
        }
    }

    /// The room was ended for everybody, at that time. Its bots are put out with all others and
    /// finish by themselves, save for one that is not in the room at that moment.
    public func roomEnded(_ room: RoomID, at time: Instant) async {
        await startsOver(in: room)
        let ids = book.onAir(in: room).map(\.id).filter { id in
            // Who comes back may have started another one by now.
            book[life: id].map { $0.requestedAt <= time } ?? false
        }
        for id in ids { requestStop(id, for: .roomEnded) }
        await settle(ids)
    }

    private func startByItself(_ room: RoomID, _ occupancy: RoomOccupancy) async {
        // A room that was looked at has its policy.
        guard let settings = try? await self.settings(of: room) else { return }
        for (kind, wish) in settings.autoStarts {
            let key = AutoStartKey(
                room: room, kind: kind,
                destination: settings.destinations(of: kind).named(wish.destination))
            guard rooms.starts(key, on: wish.condition, occupancy) else { continue }
            let running = Set(book.unfinished)
            do throws(LiveStreamError) {
                let streams = try await startUncounted(
                    room: room,
                    LiveStreamRequest(
                        kind: kind, recording: wish.recording, destination: wish.destination),
                    startedBy: nil)
                for stream in streams where !running.contains(stream.id) {
                    log(.info, "stream started by itself", stream.id)
                }
            } catch .runsOtherwise(let stream, let lack) {
                // Somebody wanted it as it is.
                log(
                    .notice, "stream does not start by itself", stream,
                    ["reason": "it runs already, \(lack)"])
            } catch {
                guard rooms.refused(key) else { continue }
                book.counts.refused(error)
                logger.warning(
                    "a stream cannot start by itself yet",
                    metadata: ["room": "\(room)", "reason": "\(error)"])
            }
        }
    }
}
