import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Synchronization
import Testing

@testable import ControlAPI

@Suite struct ViewerCensusTests {
    /// Fake time.
    private final class Clock: Sendable {
        private let time = Mutex(Instant.zero)
        var now: Instant { time.withLock { $0 } }
        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    private let clock: Clock
    private let census: ViewerCensus

    init() {
        let clock = Clock()
        self.clock = clock
        census = ViewerCensus(clock: { clock.now })
    }

    /// A viewer's player asks for a playlist.
    private func ask(
        _ viewer: Int = 1, stream: String = "demo/s1", file: String = "stream_0/stream.m3u8",
        player: String = "Player", method: HTTPRequest.Method = .get
    ) throws {
        let path = "\(stream)/\(file)"
        let address = try SocketAddress(ipAddress: "192.0.2.\(viewer)", port: 40_000)
        census.answered(
            HTTPRequest(
                method: method, scheme: "http", authority: "h", path: "/hls/\(path)",
                headerFields: [.userAgent: player]),
            for: path,
            from: address)
    }

    private var count: ViewerCensus.Count { census.count(of: "s1", in: "demo") }

    @Test func aViewerIsCountedOnceWhateverItAsksFor() throws {
        for file in ["stream_0/stream.m3u8", "stream_1/stream.m3u8", "stream_0/stream.m3u8"] {
            try ask(file: file)
            clock.pass(.seconds(2))
        }
        #expect(count == .init(now: 1, peak: 1))
        try ask(2)
        try ask(player: "Another")
        #expect(count == .init(now: 3, peak: 3))
    }

    @Test(arguments: [
        ("master.m3u8", "GET"), ("stream_0/segment_000000.ts", "GET"),
        ("stream_0/stream.m3u8", "HEAD"),
    ])
    func onlyMediaPlaylistsShowThatSomebodyWatches(file: String, method: String) throws {
        try ask(file: file, method: .init(method)!)
        #expect(count == .init())
    }

    @Test func whoAsksNoMoreIsGoneWithinHalfAMinuteAndThePeakStays() throws {
        try ask(1)
        try ask(2)
        // The second one leaves.
        for _ in 0..<10 {
            clock.pass(.seconds(3))
            try ask(1)
        }
        #expect(count == .init(now: 1, peak: 2))
        clock.pass(.seconds(30))
        #expect(count == .init(now: 0, peak: 2))
    }

    @Test func whoAsksEveryTenSecondsStays() throws {
        for _ in 0..<20 {
            try ask()
            clock.pass(.seconds(10))
            #expect(count == .init(now: 1, peak: 1))
        }
    }

    @Test func theKeyIsForgottenAfterADayAndNobodyIsCountedTwice() throws {
        for _ in 0..<20_000 {
            try ask()
            clock.pass(.seconds(5))
        }
        #expect(count == .init(now: 1, peak: 1))
    }

    @Test func streamsWithoutViewersMakePlaceForOthers() throws {
        for number in 0..<ViewerCensus.streamsMaximum { try ask(stream: "demo/old\(number)") }
        try ask()
        #expect(count == .init())
        clock.pass(.seconds(30))
        try ask()
        #expect(count == .init(now: 1, peak: 1))
    }

    @Test func placesAreLookedForOnceInAWindow() throws {
        for number in 0..<ViewerCensus.streamsMaximum { try ask(stream: "demo/old\(number)") }
        clock.pass(.seconds(16))
        try ask()
        // The others' viewers are gone by now.
        clock.pass(.seconds(14))
        try ask()
        #expect(count == .init())
        clock.pass(.seconds(1))
        try ask()
        #expect(count == .init(now: 1, peak: 1))
    }

    @Test func metricsNameTheMostWatchedStreams() throws {
        for number in 0..<150 { try ask(stream: "demo/s\(number)") }
        for viewer in 2..<5 { try ask(viewer, stream: "other/s149") }
        let metrics = census.metrics()
        #expect(metrics[0].samples == [.init(value: 153)])
        #expect(metrics[1].samples.count == Metric.sampledMaximum)
        #expect(
            metrics[1].samples[0]
                == .init(labels: [.init("room", "other"), .init("stream", "s149")], value: 3))
    }

    @Test func aStreamSaysHowManyWatch() async throws {
        let world = try await TestWorld()
        try world.write("demo/stream-1/stream_0/stream.m3u8", "#EXTM3U\n".utf8)
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            _ = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(string: "{}"))
            for tag in ["A", "B", "B"] {
                let playlist = try await client.execute(
                    uri: "/hls/demo/stream-1/stream_0/stream.m3u8", method: .get,
                    headers: [.userAgent: tag])
                #expect(playlist.status == .ok)
            }
            let missing = try await client.execute(
                uri: "/hls/demo/stream-1/stream_9/stream.m3u8", method: .get)
            #expect(missing.status == .notFound)
            for uri in ["/v2/live-streams/stream-1", "/v2/live-streams"] {
                let stream = try await client.execute(uri: uri, method: .get, headers: headers)
                #expect(
                    String(buffer: stream.body).contains(#""viewers":{"now":2,"peak":2}"#),
                    "\(String(buffer: stream.body))")
            }
        }
    }
}
