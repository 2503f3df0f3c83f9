/// The roles and destinations of a room.
///
/// A policy is complete: it has at least one role that is not hidden, every subscribed role exists,
/// and "every role" has been expanded. So nothing needs to be checked again when a peer joins.
/// Whether a role's numbers are within their ranges is checked by the form in which it was written.
public struct Policy: Hashable, Sendable {
    /// More roles than this are a mistake in a file.
    public static let rolesMaximum = 100

    /// Shown to clients as `template_id`.
    public let templateID: String
    /// In the order of the file.
    public private(set) var roles: [Role]
    /// Whether no role publishes pictures because the room is not for them.
    public private(set) var isSoundOnly = false
    /// By name; `default` is used if none is requested.
    public let hlsDestinations: [String: HLSDestination]
    /// The same for recordings without a live stream.
    public let recordingDestinations: [String: RecordingDestination]
    /// Whether rooms are recorded as soon as they have peers, without a live stream.
    public let recordsRooms: Bool
    /// `nil` if the policy does not set it: then previews show everything.
    public let roomState: RoomStateSettings?

    /// Completes and checks a policy.
    ///
    /// `*` in `subscribeToRoles` becomes the name of every role that is not hidden; a hidden role
    /// without any, such as a recorder's, subscribes to all of them.
    ///
    /// - Throws: ``RoomError/invalidPolicy(_:)`` with the reason as a sentence.
    public init(
        validating roles: [Role], templateID: String = "default",
        hlsDestinations: [String: HLSDestination] = [:],
        recordingDestinations: [String: RecordingDestination] = [:],
        recordsRooms: Bool = false, roomState: RoomStateSettings? = nil
    ) throws(RoomError) {
        var roles = roles
        guard roles.count <= Self.rolesMaximum else {
            throw .invalidPolicy("\(roles.count) roles; at most \(Self.rolesMaximum) are allowed")
        }
        var names: Set<String> = []
        for role in roles {
            try Self.check(role)
            guard names.insert(role.name).inserted else {
                throw .invalidPolicy("role '\(role.name)' is defined twice")
            }
        }
        let visible = roles.filter { !$0.isHidden }.map(\.name)
        guard !visible.isEmpty else {
            throw .invalidPolicy("every role is hidden, so nobody could be seen")
        }
        for index in roles.indices {
            roles[index].subscribeParams.subscribeToRoles = try Self.subscriptions(
                of: roles[index], visible: visible, known: names)
        }
        self.roles = roles
        self.templateID = templateID
        self.hlsDestinations = hlsDestinations
        self.recordingDestinations = recordingDestinations
        self.recordsRooms = recordsRooms
        self.roomState = roomState
    }

    /// The role of that name.
    public func role(_ name: String) -> Role? { roles.first { $0.name == name } }

    /// The roles that a peer of the given role may know of: the visible ones, and its own.
    public func rolesKnown(to name: String) -> [Role] {
        roles.filter { !$0.isHidden || $0.name == name }
    }

    /// A role that peers may know and get.
    func visibleRole(_ name: String) throws(RoomError) -> Role {
        guard let role = role(name), !role.isHidden else { throw .unknownRole(name) }
        return role
    }

    /// Checks the roles that a request addresses.
    func checkVisible(_ names: [String]) throws(RoomError) {
        try Check.count(names.count, field: "roles", maximum: RoomLimits.rolesPerMessage)
        for name in names { _ = try visibleRole(name) }
    }

    /// The roles in which people may join.
    public var visibleRoleNames: [String] { roles.filter { !$0.isHidden }.map(\.name) }

    private static func check(_ role: Role) throws(RoomError) {
        guard !role.name.isEmpty, role.name.unicodeScalars.count <= RoomLimits.nameScalars else {
            throw .invalidPolicy("a role's name has 1 to \(RoomLimits.nameScalars) characters")
        }
        if role.isHidden, !role.publishParams.allowed.isEmpty {
            throw .invalidPolicy("role '\(role.name)' is hidden and so may publish nothing")
        }
    }

    private static func subscriptions(
        of role: Role, visible: [String], known: Set<String>
    ) throws(RoomError) -> [String] {
        let asked = role.subscribeParams.subscribeToRoles
        if asked.contains(SubscribeParameters.everyRole) || (role.isHidden && asked.isEmpty) {
            return visible
        }
        for name in asked where !known.contains(name) {
            throw .invalidPolicy(
                "role '\(role.name)' subscribes to role '\(name)', which does not exist")
        }
        return asked
    }
}

extension Policy {
    /// The same policy for a room in which only sound is published.
    public var soundOnly: Policy {
        var policy = self
        policy.isSoundOnly = true
        for index in roles.indices {
            policy.roles[index].publishParams.allowed.removeAll { $0 != .audio }
        }
        return policy
    }

    /// Why a role may not publish tracks of a kind.
    public func refusal(of kind: PublishParameters.Kind, by role: String) -> RoomError {
        isSoundOnly && kind != .audio
            ? .soundOnly(kind: kind.rawValue) : .mayNotPublish(kind: kind.rawValue, role: role)
    }

    /// A policy without destinations, of roles that are known to be complete: to pass the other
    /// initializer unchanged.
    public init(complete roles: [Role]) {
        self.roles = roles
        templateID = "default"
        hlsDestinations = [:]
        recordingDestinations = [:]
        recordsRooms = false
        roomState = nil
    }
}
