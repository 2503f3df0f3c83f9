import Logging
import MediaKernel
import SDP
import Synchronization
import Testing

@testable import MediaClient

@Suite struct ReachFilterTests {
    private struct Lines: LogHandler {
        final class Told: Sendable { let lines = Mutex<[String]>([]) }
        let told: Told
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            told.lines.withLock {
                $0.append("\(event.level) \(event.metadata?["candidate"] ?? "")")
            }
        }
    }

    private static let inside = "candidate:1 1 udp 2130706431 10.0.0.7 10000 typ host"
    private static let metadataService = TransportAddress(ipv4: 169, 254, 169, 254, port: 80)

    @Test func whatIsRefusedIsSaidOnce() throws {
        let told = Lines.Told()
        var filter = ReachFilter(logger: Logger(label: "test") { _ in Lines(told: told) })
        filter.reach = ServerReach([TransportAddress(ipv4: 192, 0, 2, 1, port: 0)])
        let world = TransportAddress(ipv4: 203, 0, 113, 7, port: 443)
        var found = filter.first(of: [Self.metadataService, world])
        #expect(found == world)
        found = filter.first(of: [])
        #expect(found == nil && told.lines.withLock(\.self).isEmpty)
        found = filter.first(of: [Self.metadataService])
        #expect(found == nil)
        let isAdmitted = filter.admits(candidate: Self.inside)
        #expect(!isAdmitted)
        var section = MediaSection(kind: .audio, mid: "0")
        section.ice.candidates = [Self.inside, "candidate:2 1 udp 1 203.0.113.7 10000 typ host"]
        let admitted = filter.admitted(SessionDescription(media: [section]))
        #expect(admitted.media[0].ice.candidates.count == 1)
        #expect(told.lines.withLock(\.self) == ["notice 169.254.169.254"])
    }
}
