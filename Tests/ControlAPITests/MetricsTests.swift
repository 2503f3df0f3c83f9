import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Testing

@testable import ControlAPI

@Suite struct MetricsTests {
    private struct Source: MetricsSource {
        let name: String

        func metrics() async -> [Metric] {
            [Metric(.gauge, name, help: "A figure.", 1)]
        }
    }

    @Test func figuresAreWrittenAsPrometheusReadsThem() {
        let metrics = [
            Metric(.counter, "a_total", help: "Of \\ and\na second line.", 12),
            Metric(
                .gauge, "b_bytes", help: "By \"name\".",
                samples: [
                    .init(
                        labels: [.init("name", "say \"hi\"\\\n"), .init("of", "x")], value: 0.25),
                    .init(labels: [.init("name", "plain")], value: .infinity),
                    .init(labels: [.init("name", "")], value: -.infinity),
                    .init(value: .nan),
                ]),
            Metric(.gauge, "empty", help: "Nothing to tell.", samples: []),
        ]
        #expect(
            MetricsText.rendered(metrics) == #"""
                # HELP a_total Of \\ and\na second line.
                # TYPE a_total counter
                a_total 12
                # HELP b_bytes By "name".
                # TYPE b_bytes gauge
                b_bytes{name="say \"hi\"\\\n",of="x"} 0.25
                b_bytes{name="plain"} +Inf
                b_bytes{name=""} -Inf
                b_bytes NaN

                """#)
    }

    @Test func metricsAreForWhoHasAManagementToken() async throws {
        var world = try await TestWorld()
        world.metrics = [Source(name: "first"), Source(name: "second")]
        let (headers, room) = (try await world.managementHeaders(), try await world.roomToken())
        try await world.routes { client in
            for headers: HTTPFields in [[:], [.authorization: "Bearer \(room)"]] {
                let refused = try await client.execute(
                    uri: "/metrics", method: .get, headers: headers)
                #expect(refused.status == .unauthorized)
                #expect(!String(buffer: refused.body).contains("first"))
            }
            let response = try await client.execute(
                uri: "/metrics", method: .get, headers: headers)
            #expect(response.status == .ok)
            #expect(
                response.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(
                String(buffer: response.body).split(separator: "\n").filter { !$0.hasPrefix("#") }
                    .prefix(3) == ["first 1", "second 1", "roomcast_viewers 0"])
        }
    }

    @Test func howLongAnswersTakeIsCountedByBounds() {
        let times = RequestTimes(clock: { .zero })
        for milliseconds in [1, 5, 6, 240, 20_000] {
            times.answered(.ok, after: .milliseconds(milliseconds))
        }
        times.answered(.notFound, after: .milliseconds(2))
        let text = MetricsText.rendered(times.metrics())
        let name = "roomcast_http_request_duration_seconds"
        #expect(text.contains("# TYPE \(name) histogram\n"))
        for (labels, value) in [
            (#"_bucket{status="2xx",le="0.005"}"#, "2"),
            (#"_bucket{status="2xx",le="0.01"}"#, "3"),
            (#"_bucket{status="2xx",le="0.1"}"#, "3"),
            (#"_bucket{status="2xx",le="0.25"}"#, "4"),
            (#"_bucket{status="2xx",le="10.0"}"#, "4"),
            (#"_bucket{status="2xx",le="+Inf"}"#, "5"),
            (#"_count{status="2xx"}"#, "5"), (#"_sum{status="2xx"}"#, "20.252"),
            (#"_bucket{status="4xx",le="0.005"}"#, "1"),
        ] {
            #expect(text.contains("\(name)\(labels) \(value)\n"), "\(text)")
        }
    }
}
