import Codec
import Compositor
import MediaKernel
import Stage

/// The picture as it was last, giving way to what is composed from then on.
struct Dissolve {
    private let before: VideoFrame
    private let transition: Transition
    /// What it gave last.
    private(set) var latest: VideoFrame

    init(from before: VideoFrame, at began: Instant, lasting duration: Duration) {
        self.before = before
        transition = Transition(at: began, lasting: duration)
        latest = before
    }

    func isOver(at now: Instant) -> Bool { transition.isOver(at: now) }

    /// What is to be seen of a composition. The first one is not seen yet.
    mutating func frame(
        over composition: VideoFrame, at now: Instant, by compositor: Compositor
    ) throws -> VideoFrame {
        let opacity = UInt8(((1 - transition.share(at: now)) * 255).rounded())
        latest = try compositor.lay(before, opacity: opacity, over: composition)
        return latest
    }
}
