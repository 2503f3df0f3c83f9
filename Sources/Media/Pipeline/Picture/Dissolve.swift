import Codec
import Compositor
import MediaKernel
import Stage

/// A dissolve from the last picture to the compositions that follow.
struct Dissolve {
    private let before: VideoFrame
    private let transition: Transition
    /// The last result.
    private(set) var latest: VideoFrame

    init(from before: VideoFrame, at began: Instant, lasting duration: Duration) {
        self.before = before
        transition = Transition(at: began, lasting: duration)
        latest = before
    }

    func isOver(at now: Instant) -> Bool { transition.isOver(at: now) }

    /// The mixture of the old picture and a composition. The first composition is not visible yet.
    mutating func frame(
        over composition: VideoFrame, at now: Instant, by compositor: Compositor
    ) throws -> VideoFrame {
        let opacity = UInt8(((1 - transition.share(at: now)) * 255).rounded())
        latest = try compositor.lay(before, opacity: opacity, over: composition)
        return latest
    }
}
