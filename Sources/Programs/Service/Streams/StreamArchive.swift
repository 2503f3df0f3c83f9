import MediaKernel
import Streams

/// The records of the streams that this process has to do with: those on air, those whose assets
/// are made, and the latest that ended. The catalogue has all.
struct StreamArchive {
    /// Ended streams that are remembered, so that a row that follows is not missed. The oldest is
    /// forgotten first.
    static let endedMaximum = 100

    /// Ids sort by creation, so this is the streams in order.
    private var records: [StreamID: LiveStream] = [:]
    private var ordered: [StreamID] = []
    /// How far the copies in the store are, of all streams that have one there.
    private var uploads: [StreamID: LiveStream.Upload] = [:]

    subscript(id: StreamID) -> LiveStream? { records[id].map(withUpload) }

    var onAir: [LiveStream] { ordered.compactMap { self[$0] }.filter(\.status.isOnAir) }

    func onAir(in room: RoomID) -> [LiveStream] { onAir.filter { $0.room == room } }

    func onAir(in room: RoomID, _ kind: LiveStream.Kind) -> [LiveStream] {
        onAir(in: room).filter { $0.kind == kind }
    }

    /// The newest stream on air, or else the latest of the room.
    func current(in room: RoomID, _ kind: LiveStream.Kind) -> LiveStream? {
        onAir(in: room, kind).last
            ?? ordered.last { records[$0]?.room == room && records[$0]?.kind == kind }
            .flatMap { self[$0] }
    }

    mutating func insert(_ stream: LiveStream) {
        records[stream.id] = stream
        // One that began before it may still wait for its disk.
        let index = ordered.lastIndex { $0 < stream.id }.map { $0 + 1 } ?? 0
        ordered.insert(stream.id, at: index)
        forgetOldest()
    }

    mutating func update(_ id: StreamID, _ change: (inout LiveStream) -> Void) {
        guard var record = records[id] else { return }
        change(&record)
        records[id] = record
    }

    /// - Parameter upload: nil when nothing of the stream is in the store any more.
    mutating func copied(_ id: StreamID, _ upload: LiveStream.Upload?) { uploads[id] = upload }

    /// Of any stream, also one that is remembered by the catalogue alone.
    func withUpload(_ stream: LiveStream) -> LiveStream {
        var stream = stream
        stream.upload = uploads[stream.id]
        return stream
    }

    /// Newest first.
    func matching(_ query: LiveStreamQuery) -> [LiveStream] {
        ordered.reversed().compactMap { self[$0] }.filter { stream in
            query.includes(stream)
                && (query.start.map { stream.id < $0 } ?? true)
                && (query.room.map { $0 == stream.room } ?? true)
                && (query.session.map { $0 == stream.session } ?? true)
                && (query.status.map { $0 == stream.status } ?? true)
        }
    }

    private mutating func forgetOldest() {
        let ended = ordered.filter { records[$0]?.status.isFinal == true }
        for id in ended.prefix(max(0, ended.count - Self.endedMaximum)) {
            records[id] = nil
            ordered.removeAll { $0 == id }
        }
    }
}

extension LiveStreamQuery {
    /// Whether the query is about streams like this one.
    fileprivate func includes(_ stream: LiveStream) -> Bool {
        switch subject {
        case .liveStreams: stream.kind == .stream
        case .recordings: stream.plan.recording?.isWanted == true
        }
    }
}
