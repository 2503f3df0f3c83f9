import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import Tokens

/// `GET /metrics`, for Prometheus and readers of its format, guarded by a management token: the
/// numbers of rooms and streams are confidential.
struct MetricsRoute: Sendable {
    let sources: [any MetricsSource]
    let authority: TokenAuthority
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        router.group("/metrics")
            .add(middleware: ManagementGuard(authority: authority, clock: clock))
            .get("") { _, _ in await respond() }
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
