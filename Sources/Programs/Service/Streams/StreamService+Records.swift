import Catalogue
public import MediaKernel
import Stage
public import Streams

/// Look-ups of streams: those of this process in memory, all others in the catalogue.
extension StreamService {
    public func running(in room: RoomID) -> [LiveStream] {
        book.onAir(in: room, .stream).filter { $0.status == .running }
    }

    public var picturesInUse: Set<UploadedPicture> {
        Set(([settings.layout] + book.onAir.map(\.plan.layout)).flatMap(\.uploads))
    }

    public func stream(_ id: StreamID) async throws(LiveStreamError) -> LiveStream? {
        if let stream = book[id] { return stream }
        return try await persister.row(of: id).flatMap { book.shown($0) }
    }

    /// The streams in memory: those of this process, but for ones that ended long ago.
    var remembered: [LiveStream] { book.streams }

    /// - Throws: `notOnAir` for one that ends as well.
    func onAir(_ id: StreamID) async throws(LiveStreamError) -> LiveStream {
        guard let record = try await stream(id) else { throw .notFound("stream \(id)") }
        guard let stream = book[id], let life = book[life: id], life.status.isOnAir,
            life.status != .stopping
        else { throw .notOnAir(record.id) }
        return stream
    }

    public func current(
        room: RoomID, kind: LiveStream.Kind
    ) async throws(LiveStreamError) -> LiveStream? {
        if let stream = book.onAir(in: room, kind).last { return stream }
        let row = try await persister.latestRow(of: room, kind)
        // This process may remember only a stream left behind, while the catalogue has a later one.
        // Ids sort by creation.
        let known = book.current(in: room, kind)
        guard let row, known.map({ !$0.status.isOnAir && $0.id < row.id }) ?? true
        else { return known }
        return book.shown(row) ?? known
    }

    /// The catalogue's page, updated from memory, which is ahead of the rows.
    public func streams(
        _ query: LiveStreamQuery
    ) async throws(LiveStreamError) -> LiveStreamPage {
        let page = try await persister.rows(query)
        let rows = page.records.compactMap { book.shown($0) }
        // Streams older than the page belong to the next one.
        let oldest = page.last.map { StreamID($0) }
        var found = book.matching(query).filter { stream in
            oldest.map { stream.id >= $0 } ?? true
        }
        found += rows.filter { book[$0.id] == nil }
        found.sort { $0.id > $1.id }
        let streams = Array(found.prefix(query.limit))
        return LiveStreamPage(streams: streams, last: streams.last?.id ?? oldest)
    }
}
