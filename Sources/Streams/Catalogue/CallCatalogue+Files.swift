import GRDB
public import MediaKernel

/// The files of a room's recordings.
extension CallCatalogue {
    /// A recording of a whole room.
    public struct File: Hashable, Sendable {
        /// From 1, in the order of creation. It stays the file's own when others have expired.
        public var number: Int
        public var asset: CatalogueAsset
    }

    /// The files of a room, in the order of creation.
    ///
    /// - Parameter number: that of the last file of the previous page; 0 for the first page.
    /// - Returns: the files, and whether there are more.
    public func files(
        of room: RoomID, after number: Int, limit: Int
    ) async throws(CatalogueError) -> (files: [File], isLast: Bool) {
        let limit = PageLimit.clamped(limit)
        let found = try await catalogue.read { database in
            try CatalogueAsset.fetchAll(
                database,
                sql: """
                    SELECT * FROM asset WHERE room = ? AND kind = 'room-composite'
                    ORDER BY created, id LIMIT ? OFFSET ?
                    """, arguments: [room.rawValue, limit + 1, max(0, number)])
        }
        let files = found.prefix(limit).enumerated().map { index, asset in
            File(number: max(0, number) + index + 1, asset: asset)
        }
        return (files, found.count <= limit)
    }
}
