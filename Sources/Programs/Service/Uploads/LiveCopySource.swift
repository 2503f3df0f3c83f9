import MediaKernel
import Streams

/// The streams, as far as their copies in a store have to do with them.
protocol LiveCopySource: Sendable {
    /// Live streams that have not come to their end.
    func streamsToCopy() async -> [LiveCopySubject]

    /// How far the copy of a stream is; nil when it is there no more.
    func copied(_ id: StreamID, _ upload: LiveStream.Upload?) async
}

/// A live stream that has not come to its end.
struct LiveCopySubject: Hashable, Sendable {
    var stream: StreamID
    var room: RoomID
    /// Relative to the root of streams.
    var directory: String
    /// It goes on air, or is; one that is about to end is copied if it was before.
    var isOnAir: Bool
}
