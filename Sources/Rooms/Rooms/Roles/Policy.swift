/// The roles and destinations of a room. 100ms: a template.
///
/// A policy is complete: it has at least one role that is not hidden, every subscribed role exists,
/// and "every role" has been expanded. So nothing needs to be checked again when a peer joins.
public struct Policy: Hashable, Sendable {
    /// The role in which a stream's bot joins, as in 100ms.
    public static let recorderRole = "__internal_recorder"

    /// More roles than this are a mistake in a file.
    public static let rolesMaximum = 100

    /// Shown to clients as `template_id`.
    public let templateID: String
    /// In the order of the file.
    public let roles: [Role]
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
    /// - The recorder's role is added if it is missing.
    /// - `*` in `subscribeToRoles` becomes the name of every role that is not hidden; a hidden role
    ///   without any subscribes to all of them.
    /// - Throws: ``RoomError/invalidPolicy(_:)`` with the reason as a sentence.
    public init(
        validating roles: [Role], templateID: String = "default",
        hlsDestinations: [String: HLSDestination] = [:],
        recordingDestinations: [String: RecordingDestination] = [:],
        recordsRooms: Bool = false, roomState: RoomStateSettings? = nil
    ) throws(RoomError) {
        var roles = roles
        if !roles.contains(where: { $0.name == Self.recorderRole }) {
            roles.append(Role(name: Self.recorderRole, isHidden: true))
        }
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
        // All faults at once, to help repair a file.
        var faults = roles.flatMap { RoleInspection($0).faults }
        if let roomState, !roomState.hasAllowedInterval {
            let (least, most) = (
                RoomStateSettings.intervals.lowerBound, RoomStateSettings.intervals.upperBound
            )
            faults.append(
                "'settings.roomState.messageInterval' is \(roomState.interval); "
                    + "multiples of \(least) from \(least) to \(most) are allowed")
        }
        guard faults.isEmpty else {
            throw .invalidPolicy(faults.joined(separator: "; "))
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

    /// The roles in which people may join.
    public var visibleRoleNames: [String] { roles.filter { !$0.isHidden }.map(\.name) }

    private static func check(_ role: Role) throws(RoomError) {
        guard !role.name.isEmpty, role.name.unicodeScalars.count <= RoomLimits.nameScalars else {
            throw .invalidPolicy("a role's name has 1 to \(RoomLimits.nameScalars) characters")
        }
        if role.isHidden, !role.publishParams.allowed.isEmpty {
            throw .invalidPolicy("role '\(role.name)' is hidden and so may publish nothing")
        }
        if role.name == Self.recorderRole, !role.isHidden {
            throw .invalidPolicy("role '\(role.name)' records the room and must be hidden")
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
    /// Three roles for people and one for the recorder: a `host` publishes and runs the stream, a
    /// `guest` publishes, a `viewer` only watches, and the hidden recorder receives everything.
    public static let standard: Policy = {
        let camera = VideoParameters(bitRate: 900, frameRate: 30, width: 1280, height: 720)
        // Best first, as in 100ms.
        let layers = [
            SimulcastLayer(rid: "f", scaleResolutionDownBy: 1, maxBitrate: camera.bitRate),
            SimulcastLayer(rid: "h", scaleResolutionDownBy: 2, maxBitrate: 300),
            SimulcastLayer(rid: "q", scaleResolutionDownBy: 4, maxBitrate: 100),
        ]
        let screen = VideoParameters(bitRate: 1500, frameRate: 15, width: 1920, height: 1080)
        let publishing = PublishParameters(
            allowed: PublishParameters.Kind.allCases, audio: AudioParameters(bitRate: 32),
            video: camera, screen: screen,
            simulcast: SimulcastParameters(video: SimulcastLayers(layers: layers)))
        // Ten such cameras, or a screen and six.
        let everybody = SubscribeParameters(
            subscribeToRoles: ["host", "guest", "viewer"], maxSubsBitRate: 10 * camera.bitRate)
        var answering = Permissions()
        answering.pollRead = true
        return Policy(
            complete: [
                Role(
                    name: "host", priority: 1, publishParams: publishing,
                    subscribeParams: everybody, permissions: .all),
                Role(
                    name: "guest", priority: 2, publishParams: publishing,
                    subscribeParams: everybody, permissions: answering),
                Role(
                    name: "viewer", priority: 3, subscribeParams: everybody,
                    permissions: answering),
                Role(
                    name: recorderRole, priority: 5, isHidden: true, subscribeParams: everybody),
            ])
    }()

    /// For roles that are known to pass ``init(validating:templateID:hlsDestinations:)``.
    private init(complete roles: [Role]) {
        self.roles = roles
        templateID = "default"
        hlsDestinations = [:]
        recordingDestinations = [:]
        recordsRooms = false
        roomState = nil
    }
}
