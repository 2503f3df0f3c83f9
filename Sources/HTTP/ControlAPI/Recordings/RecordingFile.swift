public import Catalogue

/// A file of a recording for a caller who needs no link.
public struct RecordingFile: Hashable, Sendable {
    let asset: CatalogueAsset
    /// As behind a link.
    let path: String

    /// The asset's own.
    public init(_ asset: CatalogueAsset) {
        self.init(asset, asset.path, names: 1)
    }

    /// The first picture of the asset's recording; nil without one.
    public init?(firstPictureOf asset: CatalogueAsset) {
        guard let picture = asset.thumbnails?.thumbnails.first else { return nil }
        self.init(asset, picture.path, names: 2)
    }

    private init(_ asset: CatalogueAsset, _ path: String, names: Int) {
        self.asset = asset
        self.path = path.split(separator: "/").suffix(names).joined(separator: "/")
    }
}
