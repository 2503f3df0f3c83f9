import MediaKernel
import Streams

extension StreamService {
    /// A stream that was started so long ago shows in the average of what is idle: its bot takes a
    /// second or two to begin, and the average goes back five.
    static let cpuSettling: Duration = .seconds(8)

    /// What there is place for.
    func capacity(_ settings: StreamSettings) -> StreamCapacity {
        var capacity = StreamCapacity(
            onAir: book.occupied(), streamsMaximum: settings.streamsMaximum,
            variantsPerRoomMaximum: settings.variantsPerRoomMaximum)
        if settings.idleCoresMinimum > 0, let idle = kernel.idleCores {
            capacity.cores = StreamCapacity.Cores(
                idle: idle, perStream: settings.idleCoresMinimum,
                unseen: book.occupied(since: clock().instant - Self.cpuSettling))
        }
        return capacity
    }

    /// Whether one more stream would be taken.
    var canAccept: Bool { !isShuttingDown && capacity(settings).refusal(ofNew: 1) == nil }
}
