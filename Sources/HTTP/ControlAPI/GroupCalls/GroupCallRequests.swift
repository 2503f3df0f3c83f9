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
        guard let type = CallType(rawValue: type) else {
            throw .badRequest("type is not valid", Self.words(CallType.self))
        }
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

    static func words<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> String {
        "one of " + Word.allCases.map(\.rawValue).joined(separator: ", ")
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
            guard let type = CallType(rawValue: word) else {
                throw .badRequest("types is not valid", GroupCallBody.words(CallType.self))
            }
            types.insert(type)
        }
        creators = parameters.several("created_by")
        if let word = parameters["state"] {
            guard let known = CallState(rawValue: String(word)) else {
                throw .badRequest("state is not valid", GroupCallBody.words(CallState.self))
            }
            state = known
        }
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

    func count(_ name: Substring) throws(APIError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let count = Int(text), count >= 0 else {
            throw .badRequest("\(name) is not valid", "a number from 0 on")
        }
        return count
    }
}
