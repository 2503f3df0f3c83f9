import Catalogue
import Logging
import MediaKernel
import Streams

/// Queries of the catalogue for streams.
extension StreamPersister {
    /// - Throws: `.catalogueUnavailable`, `.catalogueBroken`, as do all functions here.
    nonisolated func row(of id: StreamID) async throws(LiveStreamError) -> CatalogueStream? {
        try await asked { (catalogue) throws(CatalogueError) in try await catalogue.stream(id) }
    }

    /// The room's newest stream of this kind.
    nonisolated func latestRow(
        of room: RoomID, _ kind: LiveStream.Kind
    ) async throws(LiveStreamError) -> CatalogueStream? {
        var query = CatalogueQuery<LiveStream.Status>(room: room)
        query.kind = kind
        return try await asked { [query] (catalogue) throws(CatalogueError) in
            try await catalogue.streams(query)
        }.records.first
    }

    nonisolated func rows(
        _ query: LiveStreamQuery
    ) async throws(LiveStreamError) -> CataloguePage<CatalogueStream> {
        var wanted = CatalogueQuery<LiveStream.Status>(
            room: query.room, session: query.session,
            status: query.status,
            start: query.start?.rawValue, limit: query.limit)
        switch query.subject {
        case .liveStreams: wanted.kind = .stream
        case .recordings: wanted.isRecorded = true
        case .externalStreams: (wanted.kind, wanted.isPushed) = (.recording, true)
        }
        return try await asked { [wanted] (catalogue) throws(CatalogueError) in
            try await catalogue.streams(wanted)
        }
    }

    nonisolated private func asked<Value: Sendable>(
        _ body: (Catalogue) async throws(CatalogueError) -> Value
    ) async throws(LiveStreamError) -> Value {
        do {
            return try await body(recordStore.catalogue)
        } catch {
            logger.error("the catalogue cannot be read", metadata: ["error": "\(error)"])
            throw LiveStreamError(error)
        }
    }
}
