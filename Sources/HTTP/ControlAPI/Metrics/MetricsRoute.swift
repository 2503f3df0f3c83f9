import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import Tokens

/// `GET /metrics`, for Prometheus and readers of its format.
struct MetricsRoute: Sendable {
    let sources: [any MetricsSource]

    /// Guarded by a management token: the numbers of rooms and streams are confidential.
    func add(
        to router: Router<some RequestContext>, by authority: TokenAuthority,
        clock: @escaping @Sendable () -> UnixTime
    ) {
        router.group("/metrics")
            .add(middleware: ManagementGuard(authority: authority, clock: clock))
            .get("") { _, _ in await respond() }
    }

    /// For everyone who reaches the address.
    func addOpen(to router: Router<some RequestContext>) {
        router.get("/metrics") { _, _ in await respond() }
    }

    private func respond() async -> Response {
        var metrics: [Metric] = []
        for source in sources { metrics += await source.metrics() }
        return Response(
            status: .ok,
            headers: [.contentType: MetricsText.mediaType, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: MetricsText.rendered(metrics))))
    }
}
