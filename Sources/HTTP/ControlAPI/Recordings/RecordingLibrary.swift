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

/// The control API's access to recordings: the catalogue, the files and the key of links.
public struct RecordingLibrary: Sendable {
    let catalogue: Catalogue
    /// The root directory of assets.
    let root: String
    let key: SigningKey
    /// The store of assets that are not on this machine; nil without one.
    let store: StoreAccess?

    /// A link's default lifetime.
    static let linkLifetime: Duration = .seconds(86_400)
    /// In seconds: up to 100ms' maximum.
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

    /// A link to an asset's file and everything that belongs to it.
    public struct Link: Hashable, Sendable {
        /// Appended to the server's base address: `/recordings/…`.
        var path: String
        /// The file's own address in a store; nil where the path is preferred or the only one.
        var storeURL: String?
        /// Of a VOD's master playlist; nil for other assets.
        public var playbackPath: String?
        /// Of the thumbnails, in the asset's order, and of the sprite and its WebVTT file.
        public var thumbnailPaths: [String]
        public var spritePath: String?
        public var spriteTracksPath: String?
        public var expiry: UnixTime

        /// - Parameter base: the server's address, without a trailing slash.
        public func url(base: String) -> String { storeURL ?? base + path }
    }

    /// - Parameter lifetime: rounded to whole seconds; at most a week for a store's address.
    /// - Returns: nil for an asset without an available file.
    public func link(
        to asset: CatalogueAsset, at now: UnixTime, lifetime: Duration? = nil
    ) -> Link? {
        guard asset.status == .completed else { return nil }
        var lifetime = lifetime ?? Self.linkLifetime
        var storeURL: String?
        if asset.location != nil {
            // With temporary credentials the store's address would expire early, so the link has
            // the server's, which redirects to a new one at each request.
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

    /// The address of the page that shows a recording to whoever has it, until a time.
    func pageLink(to recording: StreamID, until expiry: UnixTime) -> String? {
        AssetLink(asset: recording.rawValue, expiry: expiry)
            .map { "/shared/\($0.signed(with: pageKey))" }
    }

    /// The recording that such an address is for.
    func pageLink(
        verifying component: some StringProtocol, at now: UnixTime
    ) throws(AssetLink.Refusal) -> AssetLink {
        try AssetLink(verifying: component, with: pageKey, at: now)
    }

    private var pageKey: SigningKey { key.derived(for: .recordingPages) }

    /// Whether a copy of an asset in a store is still on this machine.
    private func isHere(_ asset: CatalogueAsset) -> Bool {
        FileManager.default.fileExists(atPath: "\(root)/\(asset.path)")
    }

    /// The address of an asset's file in the store.
    ///
    /// - Parameter method: for which the address is valid, GET or HEAD.
    /// - Returns: nil when the asset is in no store, or no store is configured.
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
