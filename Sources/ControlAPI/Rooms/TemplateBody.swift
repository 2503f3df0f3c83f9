public import Catalogue
import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A template as the control API shows it: 100ms' object.
struct TemplateBody: Encodable {
    var id: String
    var name: String
    var account: String
    var document: TemplateDocument
    var createdAt: String
    var updatedAt: String

    init(_ template: CatalogueTemplate, account: String) throws {
        id = template.id
        name = template.name
        self.account = account
        document = try template.contents
        createdAt = template.createdAt.description
        updatedAt = template.updatedAt.description
    }

    /// The policy file's, which is as old as time.
    init(_ template: StandardTemplate, account: String) {
        id = template.id
        name = StandardTemplate.name
        self.account = account
        document = template.document
        createdAt = UnixTime(seconds: 0).description
        updatedAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case id, name, roles, settings, destinations, customer, createdAt, updatedAt
        case oldID = "_id"
        case customerID = "customerId"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // Clients of several years read one or the other.
        try container.encode(id, forKey: .id)
        try container.encode(id, forKey: .oldID)
        try container.encode(account, forKey: .customerID)
        try container.encode(account, forKey: .customer)
        try container.encode(name, forKey: .name)
        try container.encode(document.shownRoles, forKey: .roles)
        try container.encode(document.shownSettings, forKey: .settings)
        try container.encode(document.destinations, forKey: .destinations)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(updatedAt, forKey: .updatedAt)
    }
}

/// What a template is to be like. What it names is replaced whole, and what it does not name stays
/// as it is.
struct TemplateRequestBody: Decodable, Sendable {
    var name: String?
    var isDefault: Bool?
    var roles: TemplateDocument.Object?
    var settings: TemplateDocument.Object?
    var destinations: TemplateDocument.Object?

    enum CodingKeys: String, CodingKey {
        case name, roles, settings, destinations
        case isDefault = "default"
    }

    /// - Throws: a 400 or a 409 that names the field.
    func check() throws(APIError) {
        if let name {
            guard (1...Limits.templateNameBytes).contains(name.utf8.count) else {
                throw .badRequest("name is not valid", "1 to \(Limits.templateNameBytes) bytes")
            }
            guard name.lowercased() != StandardTemplate.name else {
                throw .conflict("name is taken", "the policy file's template has it")
            }
        }
        guard isDefault != true else {
            throw .conflict(
                "default is not supported",
                "rooms that name no template have that of the policy file")
        }
    }

    func change(_ document: inout TemplateDocument) throws(APIError) {
        if let roles { try document.setRoles(roles) }
        document.settings = settings ?? document.settings
        document.destinations = destinations ?? document.destinations
    }
}

extension CatalogueTemplate {
    /// Its document, read.
    public var contents: TemplateDocument {
        get throws {
            try JSONDecoder().decode(TemplateDocument.self, from: Data(document.utf8))
        }
    }
}
