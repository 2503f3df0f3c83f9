import MediaKernel
import Streams

/// Something beside the rooms that acts on what happens in them.
protocol RoomWatcher: AnyObject, Sendable {
    /// The occupancy of a room; about once a second, and a last time when it is empty.
    func seen(_ room: RoomID, _ occupancy: RoomOccupancy) async
    /// A recording of a room without a live stream has changed its state. Called for every change, in
    /// order.
    func recordingChanged(_ recording: LiveStream) async
}
