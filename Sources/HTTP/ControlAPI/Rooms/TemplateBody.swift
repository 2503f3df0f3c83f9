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

    func encode(to encoder: any Encoder) throws {
        // Clients of several years read one id and customer or the other.
        let own: TemplateDocument.Object = [
            "id": .string(id), "_id": .string(id), "customerId": .string(account),
            "customer": .string(account), "name": .string(name),
            "roles": .object(document.shownRoles), "settings": .object(document.shownSettings),
            "destinations": .object(document.destinations), "createdAt": .string(createdAt),
            "updatedAt": .string(updatedAt),
        ]
        try document.others.merging(own) { _, own in own }.encode(to: encoder)
    }
}

/// What a template is to be like. What it names is replaced whole, and what it does not name stays
/// as it is.
struct TemplateRequestBody: RequestBody, Sendable {
    static let fields = TemplateFields.template

    var name: String?
    var isDefault: Bool?
    var roles: TemplateDocument.Object?
    var settings: TemplateDocument.Object?
    var destinations: TemplateDocument.Object?
    /// By their names.
    var others: TemplateDocument.Object

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, roles, settings, destinations
        case isDefault = "default"
    }

    /// What a response says besides, which may be changed and sent back.
    private static let responseFields: Set<String> = [
        "id", "_id", "customer", "customerId", "createdAt", "updatedAt",
    ]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        isDefault = try container.decodeIfPresent(Bool.self, forKey: .isDefault)
        roles = try container.decodeIfPresent(TemplateDocument.Object.self, forKey: .roles)
        settings = try container.decodeIfPresent(TemplateDocument.Object.self, forKey: .settings)
        destinations = try container.decodeIfPresent(
            TemplateDocument.Object.self, forKey: .destinations)
        let known = Self.responseFields.union(CodingKeys.allCases.map(\.rawValue))
        others = try TemplateDocument.Object(from: decoder).filter { !known.contains($0.key) }
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
        if let settings { document.setSettings(settings) }
        document.destinations = destinations ?? document.destinations
        document.others.merge(others) { $1 }
    }
}

extension CatalogueTemplate {
    /// Its document, read.
    public var contents: TemplateDocument {
        get throws {
            try JSONDocument.decode(TemplateDocument.self, from: document.utf8)
        }
    }
}
