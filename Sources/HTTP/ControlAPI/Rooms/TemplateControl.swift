/// Validates templates of room policies. `Service` implements it.
public protocol TemplateControl: Sendable {
    /// The policy file's template, which the API cannot change.
    var standard: StandardTemplate { get }

    /// - Throws: a 400 that names all problems.
    func check(_ document: TemplateDocument, id: String) throws(APIError)
}

/// The policy file as a template.
public struct StandardTemplate: Hashable, Sendable {
    public var id: String
    public var document: TemplateDocument

    public init(id: String, document: TemplateDocument) {
        self.id = id
        self.document = document
    }

    /// Reserved: no other template has this name.
    static let name = "default"
}

extension APIError {
    /// - Parameter reason: all problems, for people.
    public static func invalidTemplate(_ reason: String) -> APIError {
        .badRequest("template is not valid", reason)
    }
}
