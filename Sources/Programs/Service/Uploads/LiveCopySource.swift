import MediaKernel
import Streams

/// The streams, as seen by the copies in a store.
protocol LiveCopySource: Sendable {
    /// Live streams that have not ended.
    func streamsToCopy() async -> [LiveCopySubject]

    /// Takes the state of a stream's copy; nil if the copy was removed.
    func copied(_ id: StreamID, _ upload: LiveStream.Upload?) async
}

/// A live stream that has not ended.
struct LiveCopySubject: Hashable, Sendable {
    var stream: StreamID
    var room: RoomID
    /// Relative to the root of streams.
    var directory: String
    /// The stream is on air or starting. A stream about to end is copied only if its copy has
    /// begun.
    var isOnAir: Bool
}
