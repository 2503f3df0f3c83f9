import GroupCalls
import Hummingbird
import MediaKernel

/// A new group call.
struct GroupCallBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    var type: String
    var customItems: [String: String]?
    var createdBy: String?
    var defaultImage: String?
    var name: String?
    var templateID: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case type, name
        case customItems = "custom_items"
        case createdBy = "created_by"
        case defaultImage = "default_image"
        case templateID = "template_id"
    }

    /// - Throws: a 400 that names the field. Does not check whether the template exists.
    func call(_ id: RoomID, at now: UnixTime) throws(APIError) -> GroupCall {
        let type = try CallType.choice(type, of: "type")
        let creator = createdBy ?? ""
        guard creator.utf8.count <= CallLimits.userBytes else {
            throw .badRequest("created_by is not valid", "at most \(CallLimits.userBytes) bytes")
        }
        if let name, !Limits.isRoomName(name) {
            throw .badRequest(
                "name is not valid", "1 to \(Limits.roomNameCharacters) of A-Z, a-z, 0-9, . - : _")
        }
        do throws(CallError) {
            if let defaultImage { try GroupCall.check(image: defaultImage) }
            return GroupCall(
                id: id, type: type, items: try CustomItems(customItems ?? [:]), creator: creator,
                defaultImage: defaultImage, createdAt: now)
        } catch {
            throw APIError(error)
        }
    }
}

struct CustomItemsBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    var customItems: [String: String]

    enum CodingKeys: String, CodingKey, CaseIterable { case customItems = "custom_items" }
}

struct CustomItemKeysBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    /// Nil for all.
    var keys: [String]?

    enum CodingKeys: String, CodingKey, CaseIterable { case keys }
}

struct InvitationBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    var userID: String
    var inviter: String?
    var role: String?
    var expiresIn: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case inviter, role
        case userID = "user_id"
        case expiresIn = "expires_in"
    }

    var request: CallRequest {
        .invite(
            CallRequest.Invite(user: userID, seconds: expiresIn, inviter: inviter, role: role))
    }
}

extension CallFilter {
    /// The filters of a list: `room_ids`, `types`, `state`, `created_by`, `created_at_from`,
    /// `created_at_to`, `participants_from`, `participants_to`. Several values have commas between
    /// them, or the parameter is repeated.
    init(_ request: Request) throws(APIError) {
        self.init()
        let parameters = ListParameters(request)
        for id in parameters.several("room_ids") { ids.append(try RoomID(parameter: id)) }
        for word in parameters.several("types") {
            types.insert(try .choice(word, of: "types"))
        }
        creators = parameters.several("created_by")
        state = try parameters.choice("state")
        createdAt = OpenRange(
            from: try parameters.time("created_at_from"), to: try parameters.time("created_at_to"))
        participants = OpenRange(
            from: try parameters.count("participants_from"),
            to: try parameters.count("participants_to"))
        do throws(CallError) {
            try check()
        } catch {
            throw APIError(error)
        }
    }
}

extension CallPlace {
    /// The `token` of a list's request; nil for the first page.
    static func asked(
        _ request: Request, for filter: CallFilter
    ) throws(APIError) -> CallPlace? {
        guard let token = ListParameters(request)["token"], !token.isEmpty else { return nil }
        do throws(CallError) {
            return try CallPlace(token: String(token), for: filter)
        } catch {
            throw APIError(error)
        }
    }
}

extension ListParameters {
    fileprivate func several(_ name: Substring) -> [String] {
        all(name).flatMap { $0.split(separator: ",").map(String.init) }
    }
}
