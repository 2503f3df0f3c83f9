public import Catalogue
public import MediaKernel
public import ObjectStorage
public import Signing
import Streams

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the control API needs of recordings: what there is, where it lies, and the key of links.
public struct RecordingLibrary: Sendable {
    let catalogue: Catalogue
    /// The root below which assets lie.
    let root: String
    let key: SigningKey
    /// Where assets are that are not here; nil when there is no store.
    let store: StoreAccess?

    /// How long a link lasts when nobody says.
    static let linkLifetime: Duration = .seconds(86_400)
    /// In seconds: as long as 100ms' longest.
    static let linkLifetimes = 1...1_296_000

    public init(
        catalogue: Catalogue, root: String, key: SigningKey, store: StoreAccess? = nil
    ) {
        self.catalogue = catalogue
        self.root = root
        self.key = key
        self.store = store
    }

    /// The assets of recordings that have ended.
    func assets(
        of streams: [LiveStream]
    ) async throws(CatalogueError) -> [StreamID: [CatalogueAsset]] {
        let recorded = streams.filter { $0.plan.recording?.isWanted == true && $0.status.isFinal }
        guard !recorded.isEmpty else { return [:] }
        return try await catalogue.assets(of: recorded.map(\.id))
    }

    /// A link to an asset's file, and to all that belongs to it.
    public struct Link: Hashable, Sendable {
        /// Behind the server's base address: `/recordings/…`.
        var path: String
        /// The file's own address in a store; nil where the path is better or all there is.
        var storeURL: String?
        /// Of the master playlist of a VOD; nil for everything else.
        public var playbackPath: String?
        /// Of the thumbnails, in the asset's order, and of the sheet and its WebVTT file.
        public var thumbnailPaths: [String]
        public var spritePath: String?
        public var spriteTracksPath: String?
        public var expiry: UnixTime

        /// - Parameter base: the server's address, without a slash at the end.
        public func url(base: String) -> String { storeURL ?? base + path }
    }

    /// - Parameter lifetime: rounded to whole seconds; cut to a week where it is the store's address.
    /// - Returns: nil for an asset without a file that can be had.
    public func link(
        to asset: CatalogueAsset, at now: UnixTime, lifetime: Duration? = nil
    ) -> Link? {
        guard asset.status == .completed else { return nil }
        var lifetime = lifetime ?? Self.linkLifetime
        var storeURL: String?
        if asset.location != nil {
            // With temporary credentials the store's address would be dead before its time, so the
            // server's is given, which leads to a new one whenever it is asked for.
            if store?.isTemporary == false {
                lifetime = min(lifetime, AWSSignature.presignMaximum)
                storeURL = self.storeURL(of: asset, at: now, validity: lifetime)
            }
            guard storeURL != nil || store?.isTemporary == true || isHere(asset) else {
                return nil
            }
        }
        guard let name = asset.path.split(separator: "/").last,
            let link = AssetLink(asset: asset.id, expiry: now + lifetime)
        else { return nil }
        let directory = "/recordings/\(link.signed(with: key))"
        func picture(_ path: String) -> String? {
            path.split(separator: "/").last.map {
                "\(directory)/\(RecordingPlace.thumbnailsName)/\($0)"
            }
        }
        return Link(
            path: "\(directory)/\(name)", storeURL: storeURL,
            playbackPath: asset.kind == .roomVOD ? "\(directory)/master.m3u8" : nil,
            thumbnailPaths: asset.thumbnails?.thumbnails.compactMap { picture($0.path) } ?? [],
            spritePath: asset.thumbnails?.sprite.flatMap { picture($0.path) },
            spriteTracksPath: asset.thumbnails?.sprite.flatMap { picture($0.tracksPath) },
            expiry: link.expiry)
    }

    /// Whether a copy stayed here of an asset that is in a store.
    private func isHere(_ asset: CatalogueAsset) -> Bool {
        FileManager.default.fileExists(atPath: "\(root)/\(asset.path)")
    }

    /// The address of an asset's file in the store.
    ///
    /// - Parameter method: that it is good for, GET or HEAD.
    /// - Returns: nil when it is in none, or none is set up.
    func storeURL(
        of asset: CatalogueAsset, for use: ObjectStore.Use = .file, method: String = "GET",
        at now: UnixTime, validity: Duration
    ) -> String? {
        guard let store, asset.status == .completed,
            let location = asset.location.flatMap({ ObjectLocation($0) })
        else { return nil }
        return store.link(
            to: location, for: use, method: method, at: now, validity: validity)
    }
}
