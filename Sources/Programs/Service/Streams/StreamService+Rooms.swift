import Logging
public import MediaKernel
public import Streams

/// News from the rooms: streams end in empty rooms, and some start automatically.
extension StreamService {
    /// Takes a room's occupancy; called about once a second, and a last time when the room is
    /// empty.
    ///
    /// - Returns: the resulting starts. Rooms do not wait for them, since a disk may hang.
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

    /// The room was ended for everybody at that time. Its bots are removed with the peers and
    /// finish by themselves, except a bot that is not in the room at that moment.
    public func roomEnded(_ room: RoomID, at time: Instant) async {
        _ = await stopAll(in: room) { stream in
            // Somebody who returned may have started another stream by now.
            guard book[life: stream.id].map({ $0.requestedAt <= time }) ?? false else {
                return false
            }
            requestStop(stream.id, for: .roomEnded)
            return true
        }
    }

    private func startByItself(_ room: RoomID, _ occupancy: RoomOccupancy) async {
        // The policy of an open room is known.
        guard let settings = try? await self.settings(of: room) else { return }
        for (kind, wish) in settings.autoStarts {
            let key = AutoStartKey(
                room: room, kind: kind,
                destination: settings.destinations(of: kind).named(wish.destination))
            guard rooms.autoStarts.starts(key, on: wish.condition, occupancy) else { continue }
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
                // Somebody started it this way on purpose.
                log(
                    .notice, "stream does not start by itself", stream,
                    ["reason": "it runs already, \(lack)"])
            } catch {
                guard rooms.autoStarts.refused(key) else { continue }
                book.counts.refused(error)
                logger.warning(
                    "a stream cannot start by itself yet",
                    metadata: ["room": "\(room)", "reason": "\(error)"])
            }
        }
    }
}
