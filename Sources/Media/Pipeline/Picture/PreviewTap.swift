import Codec
import MediaKernel
import Streams

/// Where the director leaves pictures for the preview: about one a second, while somebody looks.
struct PreviewTap {
    private let inbox: Mailbox<VideoFrame>?
    private var until: Instant?
    /// The time of the next picture.
    private var next = Instant.zero

    /// - Parameter inbox: of the writer; nil without one.
    init(to inbox: Mailbox<VideoFrame>? = nil) { self.inbox = inbox }

    /// A wish ends none that lasts longer.
    mutating func wanted(for length: Duration, at now: Instant) {
        until = max(until ?? now, now + length)
    }

    mutating func offer(_ picture: VideoFrame, at now: Instant) {
        guard let until, now >= next else { return }
        guard now < until else {
            self.until = nil
            return
        }
        // A writer that has not taken the last one yet gets a newer one soon.
        if inbox?.offer(picture) == true { next = now + StreamPreview.interval }
    }

    func close() { inbox?.close() }
}
