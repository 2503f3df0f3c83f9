public import XML

/// What a recorder shows in the brewery: Jicofo chooses among those that are idle and healthy.
public struct SlotStatus: Hashable, Sendable {
    public let isBusy: Bool
    public let isHealthy: Bool

    public init(isBusy: Bool, isHealthy: Bool) {
        self.isBusy = isBusy
        self.isHealthy = isHealthy
    }

    /// Part of a presence.
    public var element: XMLElement {
        XMLElement(
            "jibri-status", JibriNames.jibri, [:],
            [
                XMLElement(
                    "busy-status", JibriNames.jibri, ["status": isBusy ? "busy" : "idle"]),
                XMLElement(
                    "health-status", JibriNames.health,
                    ["status": isHealthy ? "healthy" : "unhealthy"]),
            ])
    }
}
