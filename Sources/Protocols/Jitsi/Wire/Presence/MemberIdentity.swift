internal import MediaKernel
internal import XML

/// `<identity>` of a presence, as Jitsi's clients understand it: a user with its id, name and
/// picture, and the group that it belongs to (lib-jitsi-meet, `extractIdentityInformation`).
struct MemberIdentity: Hashable {
    private var user: [String: String]?
    private var group: String?

    init(_ element: XMLElement) {
        for part in element.elements {
            switch part.name {
            case "user" where user == nil:
                var user: [String: String] = [:]
                for field in part.elements
                where ["id", "name", "avatar"].contains(field.name) && user[field.name] == nil {
                    user[field.name] = Member.text(field)
                }
                self.user = user
            case "group" where group == nil: group = Member.text(part)
            default: break
            }
        }
    }

    /// As Jibri lists it: the name that the member has in the room takes precedence.
    func listed(as name: String) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if var user {
            if !name.isEmpty { user["name"] = name }
            members["user"] = .object(user.mapValues { .string($0) })
        }
        if let group { members["group"] = .string(group) }
        return .object(members)
    }
}
