import Logging
import MediaKernel
import Streams

/// Live streams that are taken into a store while they are on air.
extension StreamService: LiveCopySource {
    func streamsToCopy() -> [LiveCopySubject] { book.subjectsToCopy }

    func copied(_ id: StreamID, _ upload: LiveStream.Upload?) {
        book.copied(id, upload)
        if upload?.isPlayable == true { tellRunning(id) }
    }

    /// What was held back is told: the copy can be played, it was waited for long enough, or the
    /// stream comes to its end, which is that of one that ran.
    func tellRunning(_ id: StreamID) {
        guard book[life: id]?.runningIsHeldUntil != nil else { return }
        book[life: id]?.runningIsHeldUntil = nil
        if book[life: id]?.machine.botRunning(at: clock().instant) == true {
            changed(id, to: .running, nil)
        }
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
