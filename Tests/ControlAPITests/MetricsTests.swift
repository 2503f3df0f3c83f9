import HTTPTypes
import Hummingbird
import HummingbirdTesting
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
                    == ["first 1", "second 1", "roomcast_viewers 0"])
        }
    }
}
