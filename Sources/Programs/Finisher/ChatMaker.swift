import Catalogue
import MediaKernel
import Recording

/// Makes the asset of the room's chat during a stream.
struct ChatMaker: Sendable {
    /// Of the stream.
    let directory: String
    let stream: CatalogueStream
    let place: RecordingPlace
    let recordings: String

    /// - Returns: nil without messages.
    func make(
        createdAt: UnixTime, expiresAt: UnixTime?
    ) throws(RecordingError) -> CatalogueAsset? {
        guard let bytes = try ChatFile(in: directory).read() else { return nil }
        try write(bytes)
        return asset(bytes, createdAt: createdAt, expiresAt: expiresAt)
    }

    /// Makes the asset again if the chat has changed, or has only now begun. An expired asset stays
    /// expired.
    ///
    /// - Parameter time: its creation time if it is the only asset.
    /// - Returns: the updated manifest; nil without changes.
    func renewed(
        _ manifest: RecordingManifest, at time: UnixTime, keptSeconds: Int64?
    ) throws(RecordingError) -> RecordingManifest? {
        let index = manifest.assets.firstIndex { $0.kind == .chat }
        if let index, manifest.assets[index].status != .completed { return nil }
        // It expires with the other assets, and is not made once they are gone.
        let sibling = manifest.assets.first { $0.status == .completed }
        guard sibling != nil || manifest.assets.isEmpty else { return nil }
        let known = index.map { manifest.assets[$0].byteCount } ?? 0
        guard let bytes = try ChatFile(in: directory).read(), Int64(bytes.count) != known
        else { return nil }
        try write(bytes)
        var made = asset(
            bytes, createdAt: time, expiresAt: keptSeconds.map { time + .seconds($0) })
        if let sibling {
            made.createdAt = sibling.createdAt
            made.expiresAt = sibling.expiresAt
        }
        // Without a location, so that a store gets it again.
        var renewed = manifest
        if let index { renewed.assets[index] = made } else { renewed.assets.append(made) }
        return renewed
    }

    private func write(_ bytes: [UInt8]) throws(RecordingError) {
        try AssetFile.write(bytes, to: place.chatName, in: "\(recordings)/\(place.chatDirectory)")
    }

    private func asset(
        _ bytes: [UInt8], createdAt: UnixTime, expiresAt: UnixTime?
    ) -> CatalogueAsset {
        CatalogueAsset(
            id: "\(stream.id)-chat", stream: stream.id, room: stream.room,
            session: stream.session, kind: .chat,
            path: "\(place.chatDirectory)/\(place.chatName)", byteCount: Int64(bytes.count),
            createdAt: createdAt, expiresAt: expiresAt)
    }
}
