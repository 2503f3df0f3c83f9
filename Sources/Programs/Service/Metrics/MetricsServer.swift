import ControlAPI
import ServiceLifecycle

/// The metrics at an address of their own.
struct MetricsServer: Service {
    let http: HTTPService
    let address: MetricsAddress

    /// - Throws: `SettingsError` if it cannot listen there.
    func run() async throws {
        do {
            try await http.metricsApplication(at: address).run()
        } catch {
            throw SettingsError(error, at: address.place) ?? error
        }
    }
}
