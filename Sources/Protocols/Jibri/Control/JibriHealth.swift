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
    private let environmentContext: Environment?

    /// - Parameters:
    ///   - fault: what makes it unhealthy; nil if it is healthy.
    ///   - environment: of a session that is recorded, with its host.
    public init(
        _ business: Brewery.Business, fault: String?,
        environment: (name: String, host: String)?
    ) {
        let health = fault == nil ? "HEALTHY" : "UNHEALTHY"
        let details = fault.map { ["JibriManager": Detail(healthStatus: health, detail: $0)] }
        status = Status(
            busyStatus: business.rawValue,
            health: Health(healthStatus: health, details: details ?? [:]))
        environmentContext = environment.map { Environment(name: "\($0.name)-\($0.host)") }
    }
}
