import SDP
import Testing
import Workbench

/// The cost of an untrusted description is proportional to its length, regardless of repetitions.
@Suite struct CostTests {
    @Test(arguments: [
        // A section's own lines, of which there are at most 1024.
        "a=rtcp-fb:96 x%", "a=fmtp:96 x%=1;y%=2", "a=x-%:y", "a=ssrc-group:FID % 2",
        "a=extmap:% urn:x:%", "a=ssrc:1 x%:y", "a=msid:s t%",
    ])
    func ofASection(line: String) throws {
        try expectGrowthInProportion(200) { count in
            let lines = (1...count).map { line.replacing("%", with: "\($0)") }
            let shared = (0..<64).map { "a=rtcp-fb:* s\($0)" }
            return [
                "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=rtpmap:96 VP8/90000",
            ] + lines + shared
        }
    }

    @Test(arguments: ["a=mid:%", "a=sendrecv", "a=candidate:% 1 udp 1 10.0.0.1 9 typ host"])
    func ofManySections(line: String) throws {
        try expectGrowthInProportion(90) { count in
            (0..<count).flatMap { number in
                [
                    "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=rtpmap:111 opus/48000/2",
                    line.replacing("%", with: "\(number)"),
                ]
            }
        }
    }

    @Test func ofALongLine() throws {
        try expectGrowthInProportion(250) { count in
            let parameters = (0..<count).map { "p\($0 % 100)" }.joined(separator: ";")
            return [
                "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=rtpmap:96 VP8/90000",
                "a=fmtp:96 \(parameters)",
            ]
        }
    }

    private func expectGrowthInProportion(
        _ size: Int, _ lines: (Int) -> [String]
    ) throws {
        let growth = try Growth.of(size) { count in
            (["v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0"] + lines(count)).map { $0 + "\r\n" }
                .joined()
        } body: { text in
            _ = try SessionDescription.parse(text)
        }
        #expect(growth < Growth.tolerated)
    }
}
