import Logging
import MediaKernel
import Streams

/// Live streams that are uploaded to a store while on air.
extension StreamService: LiveCopySource {
    func streamsToCopy() -> [LiveCopySubject] { book.subjectsToCopy }

    func copied(_ id: StreamID, _ upload: LiveStream.Upload?) {
        book.copied(id, upload)
        if upload?.isPlayable == true { tellRunning(id) }
    }

    /// Reports a held back start: the copy is playable, the wait was long enough, or the stream
    /// ends and counts as having run.
    func tellRunning(_ id: StreamID) {
        guard book[life: id]?.runningIsHeldUntil != nil else { return }
        book[life: id]?.runningIsHeldUntil = nil
        if book[life: id]?.machine.botRunning(at: clock().instant) == true {
            changed(id, to: .running, nil)
        }
    }
}
