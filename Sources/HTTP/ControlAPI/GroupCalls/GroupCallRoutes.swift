import Catalogue
import GroupCalls
import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The control API for group calls, `/v2/group-calls`, guarded by a management token
/// (`docs/GROUP-CALLS.md`).
struct GroupCallRoutes: Sendable {
    let control: any GroupCallControl
    let catalogue: Catalogue
    let templates: any TemplateControl
    let authority: TokenAuthority
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed("/v2/group-calls", by: authority, clock: clock)
        group.post("") { request, _ in try await create(request) }
        group.get("") { request, _ in try await list(request) }
        group.get("/:room") { _, context in
            JSON.response(try await control.call(try roomID(context)).json)
        }
        group.delete("/:room") { _, context in try await answer(.delete, context) }
        group.get("/:room/custom-items") { _, context in
            JSON.response(
                JSONValue.object(try await control.call(try roomID(context)).call.items.json))
        }
        group.post("/:room/custom-items") { request, context in
            let body = try await JSON.decode(CustomItemsBody.self, from: request)
            return try await answer(.setItems(body.customItems), context)
        }
        group.delete("/:room/custom-items") { request, context in
            let body = try await JSON.decode(CustomItemKeysBody.self, from: request)
            return try await answer(.removeItems(body.keys), context)
        }
        group.get("/:room/invitations") { _, context in try await invitations(context) }
        group.post("/:room/invitations") { request, context in
            let body = try await JSON.decode(InvitationBody.self, from: request)
            return try await answer(body.request, context)
        }
        let acts: [(name: String, act: Invitation.Act)] = [
            ("accept", .accept), ("decline", .decline), ("cancel", .cancel),
        ]
        for (name, act) in acts {
            group.post("/:room/invitations/:invitation/\(name)") { request, context in
                try await NoBody.check(request)
                return try await answer(.end(try invitationID(context), act), context)
            }
        }
    }

    private func create(_ request: Request) async throws -> Response {
        let body = try await JSON.decode(GroupCallBody.self, from: request)
        let id = RoomID(Hexadecimal.identifier())
        let now = clock()
        let call = try body.call(id, at: now)
        // The policy file's template has no record.
        let template = body.templateID.flatMap { $0 == templates.standard.id ? nil : $0 }
        if let template, try await catalogue.template(template) == nil {
            throw APIError.badRequest("template not found", "template \(template.prefix(64))")
        }
        let room = CatalogueRoom(
            id: id, name: body.name ?? UUID().uuidString.lowercased(),
            size: call.type.participantsMaximum, template: template, createdAt: now)
        try await control.create(call, in: room)
        return JSON.response(CallAtPresent(call, participants: 0).json)
    }

    private func list(_ request: Request) async throws -> Response {
        let filter = try CallFilter(request)
        let limit = try ListParameters(request).limit() ?? PageLimit.range.lowerBound
        let page = try await control.calls(
            filter, behind: try CallPlace.asked(request, for: filter), limit: limit)
        return JSON.response(
            JSONValue.object([
                "limit": .integer(Int64(limit)), "data": .array(page.calls.map(\.json)),
                // Empty on the last page.
                "next": .string(page.next?.token(for: filter) ?? ""),
            ]))
    }

    private func invitations(_ context: some RequestContext) async throws -> Response {
        let found = try await control.invitations(into: try roomID(context))
        let now = clock()
        return JSON.response(
            JSONValue.object(["data": .array(found.map { .object($0.json(at: now)) })]))
    }

    private func answer(
        _ request: CallRequest, _ context: some RequestContext
    ) async throws -> Response {
        JSON.response(try await control.perform(request, in: try roomID(context)).json)
    }

    private func roomID(_ context: some RequestContext) throws(APIError) -> RoomID {
        try RoomID(parameter: context.parameters.get("room"))
    }

    private func invitationID(_ context: some RequestContext) throws(APIError) -> InvitationID {
        guard let text = context.parameters.get("invitation"), Limits.isIdentifier(text) else {
            throw .badRequest("invitation_id is not valid")
        }
        return InvitationID(text)
    }
}
