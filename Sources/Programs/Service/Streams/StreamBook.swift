import Catalogue
import MediaKernel
import Streams

/// The streams that this process has to do with: those on air, those whose assets are made, and
/// the latest that ended. The catalogue has all.
struct StreamBook {
    /// Ended streams to keep, for requests that come before their rows can be read. The oldest is
    /// dropped first.
    static let endedMaximum = 100

    private struct Page {
        /// As last announced.
        var stream: LiveStream
        /// Nil once it has ended.
        var life: StreamLife?
        var statistics = StreamStatistics()
    }

    private var pages: [StreamID: Page] = [:]
    /// Ids sort by creation, so this is the streams in order.
    private var ordered: [StreamID] = []
    /// The progress of the copies in the store, for streams that have one.
    private var uploads: [StreamID: LiveStream.Upload] = [:]
    var counts = StreamCounts()
    /// Starts of streams that are not in the book yet.
    var starts = StreamStarts()
    /// The finisher queue as last announced in the streams' states.
    private var waiting: [StreamID] = []

    subscript(id: StreamID) -> LiveStream? { pages[id].map { withUpload($0.stream) } }

    subscript(life id: StreamID) -> StreamLife? {
        get { pages[id]?.life }
        _modify {
            guard let index = pages.index(forKey: id) else {
                var nobody: StreamLife?
                yield &nobody
                return
            }
            yield &pages.values[index].life
        }
    }

    /// The streams that have not ended, oldest first.
    var unfinished: [StreamID] { ordered.filter { pages[$0]?.life != nil } }

    var lives: [StreamLife] { unfinished.compactMap { pages[$0]?.life } }

    /// Oldest first.
    var streams: [LiveStream] { ordered.compactMap { self[$0] } }

    var onAir: [LiveStream] { streams.filter(\.status.isOnAir) }

    func onAir(in room: RoomID) -> [LiveStream] {
        // The room first: copies of all streams for each look at a room would cost too much.
        ordered.filter { pages[$0]?.stream.room == room }.compactMap { self[$0] }
            .filter(\.status.isOnAir)
    }

    func onAir(in room: RoomID, _ kind: LiveStream.Kind) -> [LiveStream] {
        onAir(in: room).filter { $0.kind == kind }
    }

    /// The newest stream on air, or else the latest of the room.
    func current(in room: RoomID, _ kind: LiveStream.Kind) -> LiveStream? {
        onAir(in: room, kind).last
            ?? ordered.last { id in
                pages[id].map { $0.stream.room == room && $0.stream.kind == kind } ?? false
            }.flatMap { self[$0] }
    }

    /// The streams that a start in the room has to consider.
    func running(in room: RoomID, _ kind: LiveStream.Kind) -> [StreamAdmission.Running] {
        onAir(in: room, kind).compactMap { stream in
            // The machine's status is ahead of the record's.
            guard let life = pages[stream.id]?.life, life.status.isOnAir else { return nil }
            return StreamAdmission.Running(
                stream, destination: life.destination, isStopping: life.status == .stopping)
        }
    }

    /// The pages of the web on air in all rooms.
    var pagesOnAir: Int {
        pages.values.count {
            $0.stream.plan.page != nil && $0.life?.status.isOnAir == true
        }
    }

    /// The number of streams on air and of streams being started.
    ///
    /// - Parameter time: counts streams on air that were requested later; nil for all.
    func occupied(since time: Instant? = nil) -> Int {
        lives.count { life in
            life.status.isOnAir && (time.map { life.requestedAt > $0 } ?? true)
        } + starts.reserved
    }

    mutating func insert(_ stream: LiveStream, _ life: StreamLife? = nil) {
        pages[stream.id] = Page(stream: stream, life: life)
        // An earlier stream may be inserted later, if its disk was slow.
        let index = ordered.lastIndex { $0 < stream.id }.map { $0 + 1 } ?? 0
        ordered.insert(stream.id, at: index)
        forgetOldest()
    }

    mutating func update(_ id: StreamID, _ change: (inout LiveStream) -> Void) {
        guard let index = pages.index(forKey: id) else { return }
        change(&pages.values[index].stream)
    }

    /// The record of a stream in its present or its next state.
    func record(
        of id: StreamID, _ change: (inout LiveStream) -> Void = { _ in }
    ) -> StreamRecordStore.Record? {
        guard var stream = self[id], let life = pages[id]?.life else { return nil }
        change(&stream)
        return StreamRecordStore.Record(
            stream, in: life.directory, order: life.order, place: life.place)
    }

    /// A stream has ended, or is left to the next server.
    ///
    /// - Returns: its life; nil if it had none.
    @discardableResult
    mutating func endLife(_ id: StreamID) -> StreamLife? {
        guard let index = pages.index(forKey: id) else { return nil }
        defer { pages.values[index].life = nil }
        return pages.values[index].life
    }

    /// Sets the positions of the streams that wait for a finisher.
    mutating func setPositions(_ queue: [StreamID]) {
        guard waiting != queue else { return }
        waiting = queue
        for (index, id) in queue.enumerated() {
            update(id) { $0.finishing.position = index + 1 }
        }
    }

    // MARK: Statistics

    func statistics(of id: StreamID) -> StreamStatistics? { pages[id]?.statistics }

    mutating func updateStatistics(of id: StreamID, _ change: (inout StreamStatistics) -> Void) {
        guard let index = pages.index(forKey: id) else { return }
        change(&pages.values[index].statistics)
    }

    // MARK: Copies

    /// - Parameter upload: nil when nothing of the stream is in the store any more.
    mutating func copied(_ id: StreamID, _ upload: LiveStream.Upload?) { uploads[id] = upload }

    /// A stream that the catalogue alone remembers.
    func shown(_ record: CatalogueStream) -> LiveStream? { LiveStream(record).map(withUpload) }

    private func withUpload(_ stream: LiveStream) -> LiveStream {
        var stream = stream
        stream.upload = uploads[stream.id]
        return stream
    }

    /// Live streams that may be copied into a store.
    var subjectsToCopy: [LiveCopySubject] {
        unfinished.compactMap { id in
            guard let stream = self[id], stream.kind == .stream else { return nil }
            return LiveCopySubject(
                stream: id, room: stream.room,
                directory: stream.directory,
                isOnAir: stream.status == .starting || stream.status == .running)
        }
    }

    // MARK: Lists

    /// What a room is told when one of its streams has changed.
    func news(of id: StreamID) -> [StreamingChange] {
        guard let stream = self[id] else { return [] }
        let outputs = stream.plan.wasPushed ? [outputNews(of: stream)] : []
        switch stream.kind {
        case .stream:
            var streams = onAir(in: stream.room, .stream)
            if !stream.status.isOnAir { streams.append(stream) }
            return [.streams(room: stream.room, streams)] + outputs
        case .recording:
            // The next one may have begun while this one is stopped.
            let shown = onAir(in: stream.room, .recording).last ?? stream
            return [.recording(room: stream.room, shown: shown, changed: stream)] + outputs
        }
    }

    /// What a room is told when an output of one of its streams has changed: the outputs of all
    /// streams on air, and those of this one in any state.
    func outputNews(of stream: LiveStream) -> StreamingChange {
        var streams = onAir(in: stream.room)
        if !stream.status.isOnAir { streams.append(stream) }
        return .outputs(room: stream.room, streams.filter { $0.plan.wasPushed })
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
        let ended = ordered.filter { pages[$0]?.stream.status.isFinal == true }
        for id in ended.prefix(max(0, ended.count - Self.endedMaximum)) {
            pages[id] = nil
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
        case .externalStreams: stream.kind == .recording && stream.plan.wasPushed
        }
    }
}
