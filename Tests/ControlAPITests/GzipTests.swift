import MediaKernel
import Testing
import Workbench

@testable import ControlAPI

@Suite struct GzipTests {
    @Test func nothingIsSmallAndEqualInputsGiveEqualOutputs() throws {
        let nothing = Gzip.compressed([])
        #expect(nothing.count == 20 && nothing.starts(with: [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]))
        #expect(try GzipTests.expanded(nothing) == [])
        #expect(Gzip.compressed([1, 2, 3]) == Gzip.compressed([1, 2, 3]))
    }

    @Test func aPlaylistShrinksToAFraction() throws {
        let text = GzipTests.playlist(segments: 1000)
        let compressed = Gzip.compressed(Array(text.utf8))
        #expect(compressed.count * 9 < text.utf8.count)
        #expect(try GzipTests.expanded(compressed) == Array(text.utf8))
    }

    @Test func whateverGoesInComesOut() throws {
        var random = SeededRandom(seed: 3)
        var inputs: [[UInt8]] = [[0], [255], Array(0...255)]
        for length in [1, 2, 3, 4, 257, 258, 259, 260, 1000] {
            inputs.append([UInt8](repeating: 7, count: length))
            inputs.append((0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            inputs.append((0..<length).map { _ in UInt8(truncatingIfNeeded: random.next() % 3) })
        }
        // Longer than the window, with matches across all of it.
        inputs.append((0..<40_000).map { UInt8(truncatingIfNeeded: $0 / 100) })
        // gzip members may be joined, and expand to the joined inputs. RFC 1952 sect. 2.2.
        #expect(try GzipTests.expanded(inputs.flatMap(Gzip.compressed)) == inputs.flatMap { $0 })
    }

    static func playlist(segments: Int) -> String {
        var text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n"
        for index in 0..<segments {
            text += "#EXTINF:2.000,\nsegment_\(1_000_000 + index).ts\n"
        }
        return text
    }

    /// The distribution's own gunzip checks the result.
    static func expanded(_ bytes: [UInt8]) throws -> [UInt8] {
        let scratch = try Scratch()
        let source = try scratch.write(bytes, to: "in.gz")
        #expect(try Program.run("gzip", ["-d", "-q", source]).status == 0)
        return try scratch.bytes("in")
    }
}
