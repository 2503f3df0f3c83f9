/// The answer to `GET /jibri/api/v1.0/health`, which Jitsi's autoscaler reads.
public struct JibriHealth: Encodable, Sendable {
    struct Status: Encodable {
        let busyStatus: String
        let health: Health
    }

    struct Health: Encodable {
        let healthStatus: String
        let details: [String: Detail]
    }

    struct Detail: Encodable {
        let healthStatus: String
        let detail: String
    }

    private struct Environment: Encodable {
        let name: String
    }

    let status: Status
    public let isHealthy: Bool
    public let isBusy: Bool
    private let environmentContext: Environment?

    private enum CodingKeys: CodingKey {
        case status, environmentContext
    }

    /// - Parameters:
    ///   - fault: what makes it unhealthy; nil if it is healthy.
    ///   - trouble: what is wrong with recordings that are over; it stays healthy.
    ///   - environment: of a session that is recorded, with its host.
    public init(
        _ business: Brewery.Business, fault: String?, trouble: String? = nil,
        environment: (name: String, host: String)?
    ) {
        let health = fault == nil ? "HEALTHY" : "UNHEALTHY"
        var details: [String: Detail] = [:]
        if let fault { details["JibriManager"] = Detail(healthStatus: health, detail: fault) }
        if let trouble {
            details["Deliveries"] = Detail(healthStatus: "HEALTHY", detail: trouble)
        }
        status = Status(
            busyStatus: business.rawValue, health: Health(healthStatus: health, details: details))
        isHealthy = fault == nil
        isBusy = business == .busy
        environmentContext = environment.map { Environment(name: "\($0.name)-\($0.host)") }
    }
}
