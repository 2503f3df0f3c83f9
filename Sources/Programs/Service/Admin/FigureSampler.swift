import ServiceLifecycle

/// Has the server's figures noted, for the charts of the operator's page.
struct FigureSampler: Service {
    private static let interval: Duration = .seconds(10)

    let note: @Sendable () async -> Void

    func run() async throws { await repeating(every: Self.interval, note) }
}
