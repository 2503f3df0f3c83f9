import ControlAPI
import MediaKernel

/// The records of all streams that this process knows: those on air and the latest that ended.
struct StreamArchive {
    /// Ended streams that are remembered. The oldest is forgotten first; its files stay.
    static let endedMaximum = 1000

    /// Ids sort by creation, so this is the streams in order.
    private var records: [StreamID: LiveStream] = [:]
    private var ordered: [StreamID] = []

    subscript(id: StreamID) -> LiveStream? { records[id] }

    var onAir: [LiveStream] { ordered.compactMap { records[$0] }.filter(\.status.isOnAir) }

    func onAir(in room: RoomID) -> [LiveStream] { onAir.filter { $0.room == room } }

    /// The newest stream on air, or else the latest of the room.
    func current(in room: RoomID) -> LiveStream? {
        onAir(in: room).last ?? latest(in: room)
    }

    func latest(in room: RoomID) -> LiveStream? {
        ordered.last { records[$0]?.room == room }.flatMap { records[$0] }
    }

    mutating func insert(_ stream: LiveStream) {
        precondition(ordered.last.map { $0 < stream.id } ?? true, "stream ids are given in order")
        records[stream.id] = stream
        ordered.append(stream.id)
        forgetOldest()
    }

    mutating func update(_ id: StreamID, _ change: (inout LiveStream) -> Void) {
        guard var record = records[id] else { return }
        change(&record)
        records[id] = record
    }

    /// Newest first.
    func page(_ query: LiveStreamQuery) -> LiveStreamPage {
        var found: [LiveStream] = []
        for id in ordered.reversed() {
            guard found.count < query.limit else { break }
            guard let stream = records[id], query.start.map({ id < $0 }) ?? true,
                query.room.map({ $0 == stream.room }) ?? true,
                query.session.map({ $0 == stream.session }) ?? true,
                query.status.map({ $0 == stream.status }) ?? true
            else { continue }
            found.append(stream)
        }
        return LiveStreamPage(streams: found, last: found.last?.id)
    }

    private mutating func forgetOldest() {
        let ended = ordered.filter { records[$0]?.status.isFinal == true }
        for id in ended.prefix(max(0, ended.count - Self.endedMaximum)) {
            records[id] = nil
            ordered.removeAll { $0 == id }
        }
    }
}
