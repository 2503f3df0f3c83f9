public import Catalogue
public import MediaKernel
public import Signing

/// What the control API needs of recordings: what there is, where it lies, and the key of links.
public struct RecordingLibrary: Sendable {
    let catalogue: Catalogue
    /// The root below which assets lie.
    let root: String
    let key: SigningKey

    /// How long a link lasts when nobody says.
    static let linkLifetime: Duration = .seconds(86_400)
    /// In seconds: as long as 100ms' longest.
    static let linkLifetimes = 1...1_296_000

    public init(catalogue: Catalogue, root: String, key: SigningKey) {
        self.catalogue = catalogue
        self.root = root
        self.key = key
    }

    /// A link to an asset's file, and to all that belongs to it.
    public struct Link: Hashable, Sendable {
        /// Behind the server's base address: `/recordings/…`.
        public var path: String
        /// Of the master playlist of a VOD; nil for everything else.
        public var playbackPath: String?
        public var expiry: UnixTime
    }

    /// - Parameter lifetime: rounded to whole seconds.
    /// - Returns: nil for an asset without a file.
    public func link(
        to asset: CatalogueAsset, at now: UnixTime, lifetime: Duration? = nil
    ) -> Link? {
        guard asset.status == .completed,
            let name = asset.path.split(separator: "/").last,
            let link = AssetLink(asset: asset.id, expiry: now + (lifetime ?? Self.linkLifetime))
        else { return nil }
        let directory = "/recordings/\(link.signed(with: key))"
        return Link(
            path: "\(directory)/\(name)",
            playbackPath: asset.kind == .roomVOD ? "\(directory)/master.m3u8" : nil,
            expiry: link.expiry)
    }
}
