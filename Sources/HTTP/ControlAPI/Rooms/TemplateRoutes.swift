import Catalogue
import Foundation
import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens

/// 100ms' control API for the policies of rooms, `/v2/templates`, guarded by a management token.
struct TemplateRoutes: Sendable {
    let catalogue: Catalogue
    let control: any TemplateControl
    let authority: TokenAuthority
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed("/v2/templates", by: authority, clock: clock)
        group.post("") { request, _ in try await create(request) }
        group.get("") { request, _ in try await list(request) }
        group.get("/:template") { _, context in
            JSON.response(try await body(of: context))
        }
        group.post("/:template") { request, context in
            let body = try await template(request)
            return JSON.response(
                try await changed(context, name: body.name) { document throws(APIError) in
                    try body.change(&document)
                })
        }
        addRoles(to: group)
        group.get("/:template/recordings") { _, context in
            JSON.response(try await body(of: context).document.recordings ?? .array([]))
        }
        group.post("/:template/recordings") { request, context in
            let recordings = try await JSON.decode(
                JSONValue.self, of: .array(TemplateFields.recording), from: request,
                maximum: Limits.templateBytes)
            return JSON.response(
                try await changed(context) { $0.recordings = recordings }.document.recordings
                    ?? .array([]))
        }
        group.get("/:template/settings") { _, context in
            JSON.response(try await body(of: context).document.shownSettings)
        }
        group.post("/:template/settings") { request, context in
            let settings = try await object(request, TemplateFields.settings)
            return JSON.response(
                try await changed(context) { $0.setSettings(settings) }.document.shownSettings)
        }
        group.get("/:template/destinations") { _, context in
            JSON.response(try await body(of: context).document.destinations)
        }
        group.post("/:template/destinations") { request, context in
            let destinations = try await object(request, TemplateFields.destinations)
            return JSON.response(
                try await changed(context) { $0.destinations = destinations }
                    .document.destinations)
        }
    }

    private func addRoles(to group: RouterGroup<some RequestContext>) {
        group.get("/:template/roles/:role") { _, context in
            let name = try roleName(context)
            guard let role = try await body(of: context).document.shownRole(name) else {
                throw APIError.roleNotFound(name)
            }
            return JSON.response(role)
        }
        group.post("/:template/roles/:role") { request, context in
            let name = try roleName(context)
            let role = try await object(request, TemplateFields.role)
            let document = try await changed(context) { document throws(APIError) in
                try document.setRole(name, to: role)
            }.document
            return JSON.response(
                document.shownRole(try TemplateDocument.name(of: role, called: name)))
        }
        group.delete("/:template/roles/:role") { _, context in
            let name = try roleName(context)
            _ = try await changed(context) { document throws(APIError) in
                try document.removeRole(name)
            }
            return Response(status: .noContent)
        }
    }

    private func create(_ request: Request) async throws -> Response {
        let body = try await template(request)
        let id = Hexadecimal.identifier()
        // 100ms requires no roles; without any, no peer could join.
        var document = TemplateDocument(roles: control.standard.document.roles)
        document.setSettings([:])
        try body.change(&document)
        let template = CatalogueTemplate(
            id: id, name: body.name ?? UUID().uuidString.lowercased(),
            document: try text(document, id: id), createdAt: clock())
        return JSON.response(
            try TemplateBody(
                try await catalogue.createTemplate(template), account: authority.accessKey))
    }

    /// The policy file's template comes last, as the oldest.
    private func list(_ request: Request) async throws -> Response {
        let parameters = ListParameters(request)
        let limit = try parameters.limit() ?? PageLimit.range.lowerBound
        let page = try await catalogue.templates(start: try parameters.start(), limit: limit)
        let account = authority.accessKey
        var bodies = try page.records.map { try TemplateBody($0, account: account) }
        var last = page.last ?? ""
        if last.isEmpty, parameters["start"].map(String.init) != control.standard.id {
            if bodies.count < limit {
                bodies.append(TemplateBody(control.standard, account: account))
            } else {
                last = bodies.last?.id ?? ""
            }
        }
        return JSON.response(ListBody(limit: limit, data: bodies, last: last))
    }

    private func body(of context: some RequestContext) async throws -> TemplateBody {
        let id = try templateID(context)
        if id == control.standard.id {
            return TemplateBody(control.standard, account: authority.accessKey)
        }
        guard let template = try await catalogue.template(id) else {
            throw APIError.templateNotFound(id)
        }
        return try TemplateBody(template, account: authority.accessKey)
    }

    private func changed(
        _ context: some RequestContext, name: String? = nil,
        _ change: @escaping @Sendable (inout TemplateDocument) throws(APIError) -> Void
    ) async throws -> TemplateBody {
        let id = try templateID(context)
        guard id != control.standard.id else {
            throw APIError.conflict(
                "template cannot be changed", "it is the policy file, which the operator changes")
        }
        let update = try await catalogue.updateTemplate(id, at: clock()) { template -> APIError? in
            do throws(APIError) {
                var document = try contents(of: template)
                try change(&document)
                template.document = try text(document, id: id)
                template.name = name ?? template.name
                return nil
            } catch {
                return error
            }
        }
        switch update {
        case .updated(let template):
            return try TemplateBody(template, account: authority.accessKey)
        case .unknown: throw APIError.templateNotFound(id)
        case .nameTaken(let other):
            throw APIError.conflict("name is taken", "template \(other) has it")
        case .refused(let error): throw error
        }
    }

    private func contents(
        of template: CatalogueTemplate
    ) throws(APIError) -> TemplateDocument {
        do {
            return try template.contents
        } catch {
            throw .internal()
        }
    }

    /// The checked document as text.
    private func text(_ document: TemplateDocument, id: String) throws(APIError) -> String {
        try document.checkSettings()
        try document.checkRecordings()
        try control.check(document, id: id)
        guard let data = try? JSON.data(document) else { throw .internal() }
        guard data.count <= Limits.templateBytes else {
            throw .invalidTemplate("\(data.count) bytes; at most \(Limits.templateBytes)")
        }
        // A role or a destination that was sent alone is nested deeper in the template.
        guard (try? JSONDocument.decode(TemplateDocument.self, from: data)) != nil else {
            throw .invalidTemplate("nested deeper than \(JSONLimits.standard.depth)")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func template(_ request: Request) async throws -> TemplateRequestBody {
        let body = try await JSON.decode(
            TemplateRequestBody.self, from: request, maximum: Limits.templateBytes)
        try body.check()
        return body
    }

    private func object(
        _ request: Request, _ fields: BodyFields
    ) async throws -> TemplateDocument.Object {
        try await JSON.decode(
            TemplateDocument.Object.self, of: .object(fields), from: request,
            maximum: Limits.templateBytes)
    }

    /// The policy file's template may have any text as its id.
    private func templateID(_ context: some RequestContext) throws(APIError) -> String {
        try parameter("template", context)
    }

    private func roleName(_ context: some RequestContext) throws(APIError) -> String {
        try parameter("role", context)
    }

    private func parameter(
        _ name: String, _ context: some RequestContext
    ) throws(APIError) -> String {
        guard let text = context.parameters.get(name)?.removingPercentEncoding else {
            throw .badRequest("\(name) is not valid")
        }
        return text
    }
}

extension APIError {
    static func templateNotFound(_ id: String) -> APIError {
        .notFound("template not found", "template \(id.prefix(64))")
    }
}
