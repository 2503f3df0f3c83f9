/// What a template of a room's policy must be. `Service` implements it, which knows the rules.
public protocol TemplateControl: Sendable {
    /// That of the policy file, which nobody changes here.
    var standard: StandardTemplate { get }

    /// - Throws: a 400 that names all that is wrong with it.
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

    /// No other template has it.
    static let name = "default"
}

extension APIError {
    /// - Parameter reason: all that is wrong with it, in words.
    public static func invalidTemplate(_ reason: String) -> APIError {
        .badRequest("template is not valid", reason)
    }
}
