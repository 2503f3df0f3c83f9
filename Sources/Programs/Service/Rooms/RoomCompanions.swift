/// What goes on beside the rooms, and is told of them.
struct RoomCompanions {
    /// Nil if there are no receivers of room events.
    let recorder: SessionRecorder?
    /// Nil without group calls.
    let calls: CallDesk?
    weak var watcher: (any RoomWatcher)?
}
