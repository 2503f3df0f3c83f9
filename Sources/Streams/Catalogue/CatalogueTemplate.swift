public import MediaKernel

/// A template, created by the control API: the policy of the rooms that name it. Only the catalogue
/// records it.
public struct CatalogueTemplate: Hashable, Sendable {
    public var id: String
    /// Unique among templates, regardless of case.
    public var name: String
    /// The roles, settings and destinations as JSON. The catalogue does not parse it.
    public var document: String
    public var createdAt: UnixTime
    public var updatedAt: UnixTime

    public init(id: String, name: String, document: String, createdAt: UnixTime) {
        self.id = id
        self.name = name
        self.document = document
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}

/// The result of changing a template.
public enum TemplateUpdate<Refusal: Sendable>: Sendable {
    /// The updated template.
    case updated(CatalogueTemplate)
    case unknown
    /// Another template has the name.
    case nameTaken(by: String)
    /// The change itself refused; the template is unchanged.
    case refused(Refusal)
}
