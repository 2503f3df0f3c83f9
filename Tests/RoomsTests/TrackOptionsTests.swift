import Foundation
import MediaKernel
import Testing

@testable import Rooms

@Suite struct TrackOptionsTests {
    private func read(_ json: String) throws -> TrackOptions {
        try JSONDocument.decode([TrackOptions].self, from: "[\(json)]".utf8)[0]
    }

    private func selects(_ options: TrackOptions) -> Bool {
        options.selects(id: "t1", source: "screen", peer: "p1", name: "Ann", role: "host")
    }

    @Test func aBooleanIsAWholeWish() throws {
        #expect(try read("true") == TrackOptions() && selects(read("true")))
        #expect(try !read("false").enabled && !selects(read("false")))
        #expect(throws: DecodingError.self) { try read("1") }
        #expect(throws: DecodingError.self) { try read(#"{"audio":"mp3"}"#) }
    }

    @Test(arguments: [
        ("{}", true), (#"{"peers":["p1"]}"#, true), (#"{"peers":["Ann"]}"#, true),
        (#"{"peers":["p2"]}"#, false), (#"{"roles":["host","guest"]}"#, true),
        (#"{"roles":["host"],"sources":["regular"]}"#, false), (#"{"ids":["t1"]}"#, true),
        (#"{"ids":["t1"],"peers":["Ben"]}"#, false), (#"{"enabled":false}"#, false),
    ])
    func eachListMustNameTheTrack(_ json: String, _ isSelected: Bool) throws {
        let options = try read(json)
        #expect(options.fault == nil && selects(options) == isSelected)
    }

    @Test(arguments: [
        TrackOptions(peers: []), TrackOptions(roles: [""]), TrackOptions(sources: ["camera"]),
        TrackOptions(ids: Array(repeating: "a", count: 101)),
        TrackOptions(mix: MixOptions(format: .wav, sampleRate: 8000)),
        TrackOptions(mix: MixOptions(format: .wav, left: "a")),
        TrackOptions(mix: MixOptions(format: .wav, dualChannel: true, left: "")),
        TrackOptions(peers: [String(repeating: "a", count: 257)]),
    ])
    func absurdListsAreRefused(_ options: TrackOptions) { #expect(options.fault != nil) }

    @Test func whatIsStoredIsRead() throws {
        let options = TrackOptions(
            peers: ["a"], sources: ["other"], audio: .webm, zip: true, perPeer: true,
            mix: MixOptions(
                format: .flac, sampleRate: 48_000, dualChannel: true, left: "a"),
            composite: false)
        let text = String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
        #expect(try read(text) == options)
    }
}
