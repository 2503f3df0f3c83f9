import Logging
import MediaKernel
import Streams

/// Live streams that are taken into a store while they are on air.
extension StreamService: LiveCopySource {
    func streamsToCopy() -> [LiveCopySubject] {
        book.unfinished.compactMap { id in
            guard let stream = book[id], stream.kind == .stream else { return nil }
            return LiveCopySubject(
                stream: id, room: stream.room,
                directory: stream.directory,
                isOnAir: stream.status == .starting || stream.status == .running)
        }
    }

    func copied(_ id: StreamID, _ upload: LiveStream.Upload?) {
        book.copied(id, upload)
        if upload?.isPlayable == true { tellRunning(id) }
    }

    /// Until when the news that a stream is running is held back, so that viewers are not sent to
    /// where there is nothing yet: for a moment only, since a store that is away must not cost the
    /// stream its start. Nil when there is nothing to wait for.
    func runningIsHeld(_ id: StreamID, _ life: StreamLife, at now: Instant) -> Instant? {
        guard settings.copyURL != nil, let stream = book[id], stream.kind == .stream,
            life.status == .starting, stream.upload?.isPlayable != true
        else { return nil }
        let end = now + Self.copyWaitMaximum
        return life.machine.nextDeadline.map { min($0 - .seconds(1), end) } ?? end
    }

    /// What was held back is told: the copy can be played, it was waited for long enough, or the
    /// stream comes to its end, which is that of one that ran.
    func tellRunning(_ id: StreamID) {
        guard book[life: id]?.runningIsHeldUntil != nil else { return }
        book[life: id]?.runningIsHeldUntil = nil
        carryOut(book[life: id]?.machine.botRunning(at: clock().instant) ?? [], of: id)
    }

    /// Those that were held long enough.
    func tellHeld(at now: Instant) {
        for id in book.unfinished {
            guard let end = book[life: id]?.runningIsHeldUntil, end <= now else { continue }
            log(.warning, "the stream runs before its copy can be played", id)
            tellRunning(id)
        }
    }
}
