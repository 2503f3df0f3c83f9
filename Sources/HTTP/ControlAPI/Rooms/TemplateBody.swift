public import Catalogue
import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A template in the control API: 100ms' object.
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

    /// The policy file's template, whose dates are 1970.
    init(_ template: StandardTemplate, account: String) {
        id = template.id
        name = StandardTemplate.name
        self.account = account
        document = template.document
        createdAt = UnixTime(seconds: 0).description
        updatedAt = createdAt
    }

    func encode(to encoder: any Encoder) throws {
        // Older and newer clients read different ones of the ids and customers.
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

/// The properties of a new or changed template. Each given property replaces the old one as a
/// whole, and missing ones stay unchanged.
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

    /// The other fields of a response, which may be changed and sent back.
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
    /// Its parsed document.
    public var contents: TemplateDocument {
        get throws {
            try JSONDocument.decode(TemplateDocument.self, from: document.utf8)
        }
    }
}
