public import MediaKernel

/// A template as the control API made it: the policy of those rooms that name it. It is written
/// down here and nowhere else.
public struct CatalogueTemplate: Hashable, Sendable {
    public var id: String
    /// No two templates have the same one, in whichever case.
    public var name: String
    /// Its roles, settings and destinations as JSON, which is not looked into here.
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

/// What became of an attempt to change a template.
public enum TemplateUpdate<Refusal: Sendable>: Sendable {
    /// As it is now.
    case updated(CatalogueTemplate)
    case unknown
    /// Another template has the name.
    case nameTaken(by: String)
    /// The change itself refused, with the template as it was.
    case refused(Refusal)
}
