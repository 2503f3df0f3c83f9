/// What peers of one kind may publish, see and do. By default a role publishes nothing, subscribes
/// to nothing and has no permissions.
public struct Role: Hashable, Sendable {
    public var name: String
    /// 1 (highest) to 5.
    public var priority: Int
    /// Such a peer is not in any list, count or event, and may not publish.
    public var isHidden: Bool
    public var publishParams: PublishParameters
    public var subscribeParams: SubscribeParameters
    public var permissions: Permissions
    /// The most peers of this role in the room: 0 for any number, -1 for none.
    public var maxPeerCount: Int

    public init(
        name: String, priority: Int = 5, isHidden: Bool = false,
        publishParams: PublishParameters = PublishParameters(),
        subscribeParams: SubscribeParameters = SubscribeParameters(),
        permissions: Permissions = Permissions(), maxPeerCount: Int = 0
    ) {
        self.name = name
        self.priority = priority
        self.isHidden = isHidden
        self.publishParams = publishParams
        self.subscribeParams = subscribeParams
        self.permissions = permissions
        self.maxPeerCount = maxPeerCount
    }
}

/// The roles whose tracks a peer receives.
public struct SubscribeParameters: Hashable, Sendable {
    /// Means every role that is not hidden.
    public static let everyRole = "*"

    public var subscribeToRoles: [String]
    /// In kbit/s: of all audio and video that the peer receives. Ignored for a hidden role.
    public var maxSubsBitRate: Int
    public var subscribeDegradation: SubscribeDegradation?

    public init(
        subscribeToRoles: [String] = [], maxSubsBitRate: Int = 3200,
        subscribeDegradation: SubscribeDegradation? = nil
    ) {
        self.subscribeToRoles = subscribeToRoles
        self.maxSubsBitRate = maxSubsBitRate
        self.subscribeDegradation = subscribeDegradation
    }
}

/// When a peer stops receiving videos, the least important first, because of packet loss.
public struct SubscribeDegradation: Hashable, Sendable {
    /// In per cent.
    public var packetLossThreshold: Int
    public var degradeGracePeriodSeconds: Int
    public var recoverGracePeriodSeconds: Int

    public init(
        packetLossThreshold: Int = 50, degradeGracePeriodSeconds: Int = 1,
        recoverGracePeriodSeconds: Int = 4
    ) {
        self.packetLossThreshold = packetLossThreshold
        self.degradeGracePeriodSeconds = degradeGracePeriodSeconds
        self.recoverGracePeriodSeconds = recoverGracePeriodSeconds
    }
}
