public import MediaKernel

/// The layers of a simulcast that a protocol names by their rids. Layers with other rids are ranked
/// by what their offer and their pictures say.
public struct LayerNames: Hashable, Sendable {
    /// For a protocol whose clients choose the rids.
    public static let none = LayerNames([:])

    private let names: [String: LayerPreference]

    public init(_ names: [String: LayerPreference]) { self.names = names }

    func name(ofRID rid: String?) -> LayerPreference? { rid.flatMap { names[$0] } }
}
