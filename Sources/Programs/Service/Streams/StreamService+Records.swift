import Catalogue
import Logging
public import MediaKernel
public import Streams

/// What is known of streams: those of this process from memory, all others from the catalogue.
extension StreamService {
    public func running(in room: RoomID) -> [LiveStream] {
        book.onAir(in: room, .stream).filter { $0.status == .running }
    }

    public func stream(_ id: StreamID) async throws(LiveStreamError) -> LiveStream? {
        if let stream = book[id] { return stream }
        return try await asked { (catalogue) throws(CatalogueError) in
            try await catalogue.stream(id)
        }.flatMap { shown($0) }
    }

    public func current(
        room: RoomID, kind: LiveStream.Kind
    ) async throws(LiveStreamError) -> LiveStream? {
        if let stream = book.onAir(in: room, kind).last { return stream }
        var query = CatalogueQuery<LiveStream.Status>(room: room)
        query.kind = kind
        let page = try await asked { [query] (catalogue) throws(CatalogueError) in
            try await catalogue.streams(query)
        }
        // This process may remember one that was left behind, and know nothing of a later one. Ids
        // sort by creation.
        let known = book.current(in: room, kind)
        guard let latest = page.records.first,
            known.map({ !$0.status.isOnAir && $0.id < latest.id }) ?? true
        else { return known }
        return shown(latest) ?? known
    }

    /// The catalogue's page, with what this process knows better: rows follow the memory.
    public func streams(
        _ query: LiveStreamQuery
    ) async throws(LiveStreamError) -> LiveStreamPage {
        var wanted = CatalogueQuery<LiveStream.Status>(
            room: query.room, session: query.session,
            status: query.status,
            start: query.start?.rawValue, limit: query.limit)
        switch query.subject {
        case .liveStreams: wanted.kind = .stream
        case .recordings: wanted.isRecorded = true
        }
        let page = try await asked { [wanted] (catalogue) throws(CatalogueError) in
            try await catalogue.streams(wanted)
        }
        let rows = page.records.compactMap { shown($0) }
        // What is older than the page belongs to the next one.
        let oldest = page.last.map { StreamID($0) }
        var found = book.matching(query).filter { stream in
            oldest.map { stream.id >= $0 } ?? true
        }
        found += rows.filter { book[$0.id] == nil }
        found.sort { $0.id > $1.id }
        let streams = Array(found.prefix(query.limit))
        return LiveStreamPage(streams: streams, last: streams.last?.id ?? oldest)
    }

    private func shown(_ record: CatalogueStream) -> LiveStream? {
        LiveStream(record).map(book.withUpload)
    }

    private func asked<Value: Sendable>(
        _ body: (Catalogue) async throws(CatalogueError) -> Value
    ) async throws(LiveStreamError) -> Value {
        do {
            return try await body(persister.keeper.catalogue)
        } catch {
            logger.error("the catalogue cannot be read", metadata: ["error": "\(error)"])
            throw LiveStreamError(error)
        }
    }
}
