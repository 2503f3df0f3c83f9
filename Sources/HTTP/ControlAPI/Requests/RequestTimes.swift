import HTTPTypes
import Hummingbird
import MediaKernel
import Synchronization

/// How long the routes take to begin their answers, without those of the origin, where viewers of
/// low-latency streams wait on purpose.
final class RequestTimes: Sendable {
    /// In seconds; what takes longer than all of them counts in `+Inf` alone.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// Answers by the class of their status, such as `2xx`.
    private struct Times {
        /// One for each bound, without those of the bounds below.
        var counts = [Int](repeating: 0, count: RequestTimes.bounds.count)
        var count = 0
        var seconds = 0.0

        mutating func add(_ taken: Duration) {
            let taken = taken.inSeconds
            if let place = RequestTimes.bounds.firstIndex(where: { taken <= $0 }) {
                counts[place] += 1
            }
            count += 1
            seconds += taken
        }
    }

    let clock: @Sendable () -> Instant
    private let times = Mutex<[Int: Times]>([:])

    /// - Parameter clock: the monotonic one.
    init(clock: @escaping @Sendable () -> Instant) { self.clock = clock }

    func answered(_ status: HTTPResponse.Status, after taken: Duration) {
        times.withLock { $0[status.code / 100, default: Times()].add(taken) }
    }
}

extension RequestTimes: MetricsSource {
    func metrics() -> [Metric] {
        let times = times.withLock { $0 }
        return [
            Metric(
                .histogram, "roomcast_http_request_duration_seconds",
                help: "Time to the beginning of an answer, without the origin's.",
                samples: times.sorted { $0.key < $1.key }.flatMap { kind, times in
                    Self.samples(of: times, Metric.Label("status", "\(kind)xx"))
                })
        ]
    }

    private static func samples(of times: Times, _ label: Metric.Label) -> [Metric.Sample] {
        var total = 0
        var samples = zip(bounds, times.counts).map { bound, count in
            total += count
            return Metric.Sample(
                part: "_bucket", labels: [label, Metric.Label("le", "\(bound)")],
                value: Double(total))
        }
        samples.append(
            Metric.Sample(
                part: "_bucket", labels: [label, Metric.Label("le", "+Inf")],
                value: Double(times.count)))
        samples.append(Metric.Sample(part: "_sum", labels: [label], value: times.seconds))
        samples.append(Metric.Sample(part: "_count", labels: [label], value: Double(times.count)))
        return samples
    }
}

/// Around all others, so that what they refuse counts too.
struct RequestTimesMiddleware<Context: RequestContext>: RouterMiddleware {
    let times: RequestTimes

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard !request.uri.path.hasPrefix(Origin.prefix) else {
            return try await next(request, context)
        }
        let begin = times.clock()
        let response = try await next(request, context)
        times.answered(response.status, after: times.clock() - begin)
        return response
    }
}
