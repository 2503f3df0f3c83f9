import Foundation
import HLS
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Synchronization
import Testing
import Workbench

@testable import ControlAPI

/// Low-latency streams from memory: draft-pantos-hls-rfc8216bis sect. 6.2.5 and 6.2.6.
@Suite struct LiveEdgeTests {
    private static let playlist = "/hls/demo/s1/cmaf_0/stream.m3u8"

    private static func part(_ segment: Int, _ part: Int) -> String {
        "/hls/demo/s1/cmaf_0/\(EdgeWorld.name(segment, part))"
    }

    /// Until it has one, it has no playlist at all: some players give up on one without segments.
    @Test func aStreamIsPlayableFromItsFirstSegmentOn() async throws {
        let edge = try await EdgeWorld()
        try edge.publish(0, 0)
        #expect(await edge.edge.settled())
        try await edge.world.routes { client in
            let early = try await client.execute(uri: Self.playlist, method: .get)
            #expect(early.status == .notFound)
            try edge.list(0)
            #expect(await edge.edge.settled())
            let answer = try await client.execute(uri: Self.playlist, method: .get)
            #expect(answer.status == .ok)
            #expect(String(buffer: answer.body).contains("segment_0.m4s"))
        }
    }

    @Test func theNewestPlaylistComesAtOnce() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.routes { client in
            let answer = try await client.execute(uri: Self.playlist, method: .get)
            #expect(answer.status == .ok)
            #expect(answer.headers[.cacheControl] == "no-cache")
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
            #expect(answer.headers[.contentType] == "application/vnd.apple.mpegurl")
            #expect(answer.headers[.vary] == "Accept-Encoding")
            #expect(answer.headers[.contentLength] == "\(answer.body.readableBytes)")
            let text = String(buffer: answer.body)
            #expect(text.contains("part_00003_1.m4s\""))
            #expect(text.contains("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"part_00003_2.m4s\""))
            #expect(
                text.hasSuffix(
                    "REPORT:URI=\"../cmaf_1/stream.m3u8\",LAST-MSN=3,LAST-PART=1\n"))
            let gzip = try await client.execute(
                uri: Self.playlist, method: .get, headers: [.acceptEncoding: "gzip"])
            #expect(gzip.headers[.contentEncoding] == "gzip")
            #expect(
                try GzipTests.expanded(Array(gzip.body.readableBytesView)) == Array(text.utf8))
            #expect(gzip.headers[.eTag] != answer.headers[.eTag])
            let tag = try #require(answer.headers[.eTag])
            let again = try await client.execute(
                uri: Self.playlist, method: .get, headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
            try edge.publish(3, 2)
            #expect(await edge.edge.settled())
            let newer = try await client.execute(
                uri: Self.playlist, method: .get, headers: [.ifNoneMatch: tag])
            #expect(newer.status == .ok)
            let head = try await client.execute(uri: Self.playlist, method: .head)
            #expect(head.status == .ok && head.body.readableBytes == 0)
        }
    }

    /// The tags of one answer are not those of another form of it.
    @Test func aDeltaUpdateHasATagOfItsOwn() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 20, open: 2)
        try await edge.world.routes { client in
            var tags: Set<String> = []
            for query in ["", "?_HLS_skip=YES", "?_HLS_skip=v2"] {
                for encoding in ["gzip", "identity"] {
                    let answer = try await client.execute(
                        uri: Self.playlist + query, method: .get,
                        headers: [.acceptEncoding: encoding])
                    #expect(answer.status == .ok)
                    tags.insert(answer.headers[.eTag] ?? "")
                }
            }
            #expect(tags.count == 6)
            let delta = try await client.execute(
                uri: Self.playlist + "?_HLS_skip=YES", method: .get)
            #expect(
                String(buffer: delta.body).contains("#EXT-X-SKIP:SKIPPED-SEGMENTS=13\n"))
        }
    }

    /// Thousand viewers ask for a part that is not there yet. They cost no task of ours, and one
    /// report answers all of them with one text.
    @Test func onePartReleasesAThousandRequests() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.routes { client in
            try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for index in 0..<1000 {
                    group.addTask {
                        try await client.execute(
                            uri: index.isMultiple(of: 2)
                                ? "\(Self.playlist)?_HLS_msn=3&_HLS_part=2" : Self.part(3, 2),
                            method: .get)
                    }
                }
                #expect(await comesAbout { edge.edge.waitCount == 1000 })
                try edge.publish(3, 2)
                var (playlists, parts) = (0, 0)
                for try await answer in group {
                    #expect(answer.status == .ok)
                    let text = String(buffer: answer.body)
                    if text == EdgeWorld.name(3, 2) {
                        parts += 1
                        #expect(answer.headers[.contentType] == "video/mp4")
                        #expect(
                            answer.headers[.cacheControl] == "public, max-age=31536000, immutable")
                    } else if text.contains("part_00003_2.m4s\"\n#EXT-X-PRELOAD-HINT") {
                        playlists += 1
                        // It names a segment, so it stays right.
                        #expect(answer.headers[.cacheControl] == "public, max-age=2")
                    }
                }
                #expect(playlists == 500 && parts == 500)
            }
            #expect(edge.edge.waitCount == 0)
        }
    }

    @Test func aWholeSegmentIsAwaited() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 5)
        try await edge.world.routes { client in
            async let whole = client.execute(uri: "\(Self.playlist)?_HLS_msn=3", method: .get)
            // Beyond the last part of segment 3, so the first one of segment 4.
            async let next = client.execute(
                uri: "\(Self.playlist)?_HLS_msn=3&_HLS_part=6&_HLS_skip=YES", method: .get)
            #expect(await comesAbout { edge.edge.waitCount == 2 })
            try edge.publish(3, 5)
            #expect(await edge.edge.settled())
            #expect(edge.edge.waitCount == 2)
            try edge.list(3)
            #expect(String(buffer: try await whole.body).contains("segment_3.m4s\n"))
            #expect(edge.edge.waitCount == 1)
            try edge.publish(4, 0)
            #expect(String(buffer: try await next.body).contains("part_00004_0.m4s\""))
        }
    }

    @Test(arguments: [
        "_HLS_msn=5", "_HLS_msn=999999999999", "_HLS_msn=-1", "_HLS_msn=three", "_HLS_msn=",
        "_HLS_part=0", "_HLS_msn=3&_HLS_part=99", "_HLS_msn=3&_HLS_part=x", "_HLS_skip=maybe",
    ])
    func aReloadThatMakesNoSenseIsRefused(query: String) async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.routes { client in
            let answer = try await client.execute(uri: "\(Self.playlist)?\(query)", method: .get)
            #expect(answer.status == .badRequest)
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
            #expect(answer.headers[.cacheControl] == "no-store")
        }
    }

    @Test func aStreamWithoutPartsIgnoresThem() async throws {
        let edge = try await EdgeWorld()
        try edge.world.write("demo/s1/stream_0/stream.m3u8", "#EXTM3U\n".utf8)
        try await edge.world.routes { client in
            let answer = try await client.execute(
                uri: "/hls/demo/s1/stream_0/stream.m3u8?_HLS_msn=x", method: .get)
            #expect(answer.status == .ok)
        }
    }

    /// Three target durations: 6 s.
    @Test func nobodyWaitsForEver() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.routes { client in
            async let playlist = client.execute(
                uri: "\(Self.playlist)?_HLS_msn=3&_HLS_part=2", method: .get)
            async let part = client.execute(uri: Self.part(3, 2), method: .get)
            #expect(await comesAbout { edge.edge.waitCount == 2 })
            edge.pass(.milliseconds(5900))
            #expect(edge.edge.waitCount == 2)
            edge.pass(.milliseconds(200))
            for answer in [try await playlist, try await part] {
                #expect(answer.status == .serviceUnavailable)
                #expect(answer.headers[.retryAfter] == "1")
                #expect(answer.headers[.cacheControl] == "no-store")
                #expect(answer.headers[.accessControlAllowOrigin] == "*")
            }
        }
    }

    @Test func onlyTheHintedPartIsAwaited() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.routes { client in
            for (segment, part) in [(3, 3), (4, 0), (2, 6), (9, 9)] {
                let answer = try await client.execute(
                    uri: Self.part(segment, part), method: .get)
                #expect(answer.status == .notFound)
            }
        }
    }

    @Test func aPartCanBeFetchedTwiceInPiecesAndLate() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.routes { client in
            let first = try await client.execute(uri: Self.part(3, 1), method: .get)
            let second = try await client.execute(uri: Self.part(3, 1), method: .get)
            #expect(first.status == .ok && first.body == second.body)
            let piece = try await client.execute(
                uri: Self.part(3, 1), method: .get, headers: [.range: "bytes=5-9"])
            #expect(piece.status == .partialContent)
            #expect(String(buffer: piece.body) == "00003")
            #expect(piece.headers[.contentRange] == "bytes 5-9/16")
            let beyond = try await client.execute(
                uri: Self.part(3, 1), method: .get, headers: [.range: "bytes=16-"])
            #expect(beyond.status == .rangeNotSatisfiable)
            let tag = try #require(first.headers[.eTag])
            let known = try await client.execute(
                uri: Self.part(3, 1), method: .get, headers: [.ifNoneMatch: tag])
            #expect(known.status == .notModified)
            // Not listed any more.
            let late = try await client.execute(uri: Self.part(0, 1), method: .get)
            #expect(String(buffer: late.body) == EdgeWorld.name(0, 1))
            let segment = try await client.execute(
                uri: "/hls/demo/s1/cmaf_0/segment_2.m4s", method: .get)
            #expect(String(buffer: segment.body) == "segment 2")
        }
    }

    /// The file and the memory give one resource.
    @Test func aPartFromTheDiskIsTheSame() async throws {
        let edge = try await EdgeWorld(bytesMaximum: 0)
        try await edge.run(segments: 3, open: 2)
        #expect(edge.edges.byteCount == 0)
        try await edge.world.routes { client in
            let disk = try await client.execute(uri: Self.part(3, 1), method: .get)
            #expect(String(buffer: disk.body) == EdgeWorld.name(3, 1))
            let kept = try await EdgeWorld()
            try await kept.run(segments: 1)
            #expect(kept.edges.byteCount > 0)
        }
        let kept = try await EdgeWorld()
        try await kept.run(segments: 3, open: 2)
        try await kept.world.routes { client in
            let memory = try await client.execute(uri: Self.part(3, 1), method: .get)
            kept.edges.ended(kept.stream)
            #expect(kept.edges.byteCount == 0)
            let disk = try await client.execute(uri: Self.part(3, 1), method: .get)
            for name in [HTTPField.Name.eTag, .lastModified, .cacheControl, .contentLength] {
                #expect(memory.headers[name] == disk.headers[name])
            }
        }
    }

    @Test func theOldestBytesAreDroppedFirst() async throws {
        let part = EdgeWorld.name(0, 0).utf8.count
        let edge = try await EdgeWorld(bytesMaximum: 10 * part)
        try await edge.run(segments: 3, open: 3)
        #expect(edge.edges.byteCount <= 10 * part && edge.edges.byteCount > 8 * part)
    }

    /// Slow viewers have what is kept no longer: as long as they do, it counts.
    @Test func whatIsStillBeingSentCounts() async throws {
        let edge = try await EdgeWorld(bytesMaximum: 1000)
        try await edge.run(segments: 1)
        try edge.publish(1, 0, content: String(repeating: "x", count: 900))
        #expect(await edge.edge.settled())
        var sent: EdgeFile?
        if case .answer(.file(let file)) = edge.edge.ask(
            .file(EdgeWorld.name(1, 0)), of: 0, receiver: { _ in })
        {
            sent = file
        }
        #expect(sent?.bytes.readableBytes == 900)
        try edge.publish(1, 1, content: String(repeating: "y", count: 200))
        #expect(await edge.edge.settled())
        // Nothing is kept any more, and nothing can be, until it is sent.
        #expect(edge.edges.byteCount == 900)
        sent = nil
        #expect(edge.edges.byteCount == 0)
        try edge.publish(1, 2)
        #expect(await edge.edge.settled())
        #expect(edge.edges.byteCount == EdgeWorld.name(1, 2).utf8.count)
    }

    @Test func aPlaylistCountsUntilTheNextOne() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 1)
        let files = edge.edges.byteCount
        try await edge.world.routes { client in
            let text = try await client.execute(uri: Self.playlist, method: .get)
            #expect(edge.edges.byteCount == files + text.body.readableBytes)
            try edge.publish(3, 1)
            #expect(await edge.edge.settled())
            let part = EdgeWorld.name(3, 1).utf8.count
            #expect(await comesAbout { edge.edges.byteCount == files + part })
        }
    }

    @Test func playlistsBeyondTheLimitAreMadeAgain() async throws {
        let edge = try await EdgeWorld(bytesMaximum: 0)
        try await edge.run(segments: 3, open: 1)
        try await edge.world.routes { client in
            async let next = client.execute(
                uri: "\(Self.playlist)?_HLS_msn=3&_HLS_part=1", method: .get)
            #expect(await comesAbout { edge.edge.waitCount == 1 })
            try edge.publish(3, 1)
            #expect(String(buffer: try await next.body).contains("part_00003_1.m4s"))
            #expect(await comesAbout { edge.edges.byteCount == 0 })
            let again = try await client.execute(uri: Self.playlist, method: .get)
            #expect(String(buffer: again.body).contains("part_00003_1.m4s"))
        }
    }

    /// Its successor begins the same segment anew.
    @Test func aDeadBotEndsAllWaits() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.routes { client in
            async let playlist = client.execute(
                uri: "\(Self.playlist)?_HLS_msn=3&_HLS_part=2", method: .get)
            async let part = client.execute(uri: Self.part(3, 2), method: .get)
            #expect(await comesAbout { edge.edge.waitCount == 2 })
            edge.edges.interrupted(edge.stream)
            #expect(try await playlist.status == .serviceUnavailable)
            #expect(try await part.status == .serviceUnavailable)
            let now = try await client.execute(uri: Self.playlist, method: .get)
            #expect(String(buffer: now.body).hasSuffix("LAST-PART=1\n"))
            #expect(!String(buffer: now.body).contains("PRELOAD-HINT"))
            // Whoever asks now waits for the successor.
            async let next = client.execute(
                uri: "\(Self.playlist)?_HLS_msn=3&_HLS_part=2", method: .get)
            #expect(await comesAbout { edge.edge.waitCount == 1 })
            edge.begin()
            try edge.publish(3, 0, content: "new", isDiscontinuity: true)
            for part in 1...2 { try edge.publish(3, part) }
            let text = String(buffer: try await next.body)
            #expect(text.contains("segment_2.m4s\n#EXT-X-DISCONTINUITY\n#EXT-X-PROGRAM-DATE"))
            let new = try await client.execute(uri: Self.part(3, 0), method: .get)
            #expect(String(buffer: new.body) == "new")
        }
    }

    /// As our own bots do.
    @Test func aSuccessorMakesASegmentOfThePartsOfADeadBot() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        edge.edges.interrupted(edge.stream)
        #expect(await edge.edge.settled())
        try await edge.world.routes { client in
            // The third part will never come, so this waits for the next segment's first.
            async let next = client.execute(
                uri: "\(Self.playlist)?_HLS_msn=3&_HLS_part=2", method: .get)
            #expect(await comesAbout { edge.edge.waitCount == 1 })
            edge.begin()
            try edge.list(3, parts: 2)
            try edge.publish(4, 0, isDiscontinuity: true)
            let text = String(buffer: try await next.body)
            #expect(
                text.contains("part_00003_1.m4s\"\n#EXTINF:0.666667,\nsegment_3.m4s\n#EXT-X-DISC"))
            #expect(text.contains("part_00004_0.m4s\""))
        }
    }

    @Test func theEndAnswersAllWaits() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.routes { client in
            async let last = client.execute(
                uri: "\(Self.playlist)?_HLS_msn=4&_HLS_part=0", method: .get)
            async let part = client.execute(uri: Self.part(3, 2), method: .get)
            #expect(await comesAbout { edge.edge.waitCount == 2 })
            try edge.list(3, isEnded: true)
            #expect(String(buffer: try await last.body).hasSuffix("#EXT-X-ENDLIST\n"))
            #expect(try await part.status == .notFound)
            edge.edges.ended(edge.stream)
            let after = try await client.execute(
                uri: "\(Self.playlist)?_HLS_msn=9", method: .get)
            #expect(String(buffer: after.body).hasSuffix("#EXT-X-ENDLIST\n"))
            #expect(!String(buffer: after.body).contains("EXT-X-PART"))
        }
    }

    /// The server has ended a dead bot's playlist itself; viewers get that from the disk.
    @Test func theServersEndAnswersAllWaits() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.routes { client in
            async let last = client.execute(
                uri: "\(Self.playlist)?_HLS_msn=3&_HLS_part=2", method: .get)
            #expect(await comesAbout { edge.edge.waitCount == 1 })
            edge.edges.ended(edge.stream)
            let text = String(buffer: try await last.body)
            #expect(text.contains("segment_2.m4s") && !text.contains("EXT-X-PART"))
        }
    }

    /// A part whose file cannot be read is not listed, nor are those after it.
    @Test func aGapCostsOneSegmentItsParts() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try edge.publish(3, 2, isWritten: false)
        for part in 3..<6 { try edge.publish(3, part) }
        try edge.list(3)
        try edge.publish(4, 0)
        #expect(await edge.edge.settled())
        try await edge.world.routes { client in
            let text = String(
                buffer: try await client.execute(uri: Self.playlist, method: .get).body)
            #expect(text.contains("segment_3.m4s") && text.contains("part_00004_0.m4s"))
            #expect(!text.contains("part_00003"))
            #expect(text.contains("part_00002_5"))
        }
    }

    /// That of a long playlist takes a while, which no event loop has.
    @Test func aTextIsMadeOnAThreadForFiles() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        let wish = StreamEdge.Wish.playlist(try ReloadRequest(query: ""), isGzip: false)
        let (answers, receiver) = AsyncStream<StreamEdge.Answer>.makeStream()
        let first = edge.edge.ask(wish, of: 0, receiver: { receiver.yield($0) })
        guard case .waits = first else { return #expect(Bool(false), "\(first)") }
        var iterator = answers.makeAsyncIterator()
        guard case .text(let made) = await iterator.next() else {
            return #expect(Bool(false), "no text was made")
        }
        let second = edge.edge.ask(wish, of: 0, receiver: { _ in })
        guard case .answer(.text(let text)) = second else {
            return #expect(Bool(false), "\(second)")
        }
        #expect(made.tag == text.tag)
    }

    /// A playlist that cannot be opened for a moment costs two segments their parts, not the stream.
    @Test func aPlaylistThatCannotBeOpenedIsMissedOnce() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try FileManager.default.removeItem(
            atPath: "\(edge.world.directory)/out/\(edge.directory)/cmaf_0/stream.m3u8")
        edge.edges.listed(segment: 3, layer: 0, of: edge.stream)
        // It is not the one that comes next by the playlist in memory.
        for part in 0..<6 { try edge.publish(4, part) }
        #expect(await edge.edge.settled())
        try await edge.world.routes { client in
            let missed = try await client.execute(uri: Self.playlist, method: .get)
            #expect(String(buffer: missed.body).contains("part_00002_5.m4s"))
            #expect(!String(buffer: missed.body).contains("part_00004"))
            try edge.list(4)
            try edge.publish(5, 0)
            #expect(await edge.edge.settled())
            let text = String(
                buffer: try await client.execute(uri: Self.playlist, method: .get).body)
            #expect(text.contains("segment_4.m4s") && text.contains("part_00005_0.m4s"))
            #expect(!text.contains("part_00004"))
        }
    }

    /// The files are served then, and the next bot begins anew.
    @Test func whatIsNoPlaylistEndsTheEdgeUntilTheNextBot() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try edge.world.write("\(edge.directory)/cmaf_0/stream.m3u8", "garbage".utf8)
        edge.edges.listed(segment: 3, layer: 0, of: edge.stream)
        #expect(await edge.edge.settled())
        try await edge.world.routes { client in
            let disk = try await client.execute(uri: Self.playlist, method: .get)
            #expect(String(buffer: disk.body) == "garbage")
            edge.begin()
            try edge.list(4)
            try edge.publish(5, 0)
            #expect(await edge.edge.settled())
            let text = String(
                buffer: try await client.execute(uri: Self.playlist, method: .get).body)
            #expect(text.contains("part_00005_0.m4s"))
        }
    }

    /// A bot that was taken over may report parts without end.
    @Test func aSegmentHasOnlySoManyParts() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3)
        for part in 0...LayerEdge.partsMaximum { try edge.publish(3, part) }
        #expect(await edge.edge.settled())
        try await edge.world.routes { client in
            let answer = try await client.execute(uri: Self.playlist, method: .get)
            #expect(!String(buffer: answer.body).contains("part_00003"))
        }
    }

    /// The file may be newer than the report.
    @Test func aSegmentGetsItsOwnParts() async throws {
        let segments = (0..<4).map {
            Segment(uri: "segment_\($0).m4s", duration: MediaTime(ticks: 2, timescale: 1))
        }
        let playlist = MediaPlaylist(
            kind: .live, targetDuration: 2, mediaSequence: 5, segments: segments, isEnded: true)
        #expect(playlist.upTo(8) == playlist)
        let earlier = try #require(playlist.upTo(6))
        #expect(earlier.segments.map(\.uri) == ["segment_0.m4s", "segment_1.m4s"])
        #expect(!earlier.isEnded)
        #expect(playlist.upTo(4) == nil && playlist.upTo(9) == nil)
        #expect(playlist.upTo(.min) == nil && playlist.upTo(.max) == nil)
    }

    /// A bot decodes untrusted bytes; it must not make the server read other files.
    @Test(arguments: ["../../s2/secret.m4s", ".secret.m4s", "a/b.m4s", "x.key", "a\"b.m4s"])
    func aBotNamesOnlyItsOwnParts(name: String) async throws {
        let edge = try await EdgeWorld()
        try edge.world.write("demo/s2/secret.m4s", "secret".utf8)
        try await edge.run(segments: 1)
        edge.edges.published(
            LivePart(
                layer: 0, segment: 1, index: 0,
                part: PartialSegment(uri: name, duration: EdgeWorld.part),
                head: Segment(uri: "", duration: EdgeWorld.part)), of: edge.stream)
        edge.edges.published(
            LivePart(
                layer: 7, segment: 1, index: 0,
                part: PartialSegment(uri: "a.m4s", duration: EdgeWorld.part)), of: edge.stream)
        #expect(await edge.edge.settled())
        try await edge.world.routes { client in
            let text = String(
                buffer: try await client.execute(uri: Self.playlist, method: .get).body)
            #expect(!text.contains(name))
        }
    }

    @Test func aSignedAddressHasTheSameAnswers() async throws {
        let edge = try await EdgeWorld(directory: "demo/.s1")
        try await edge.run(segments: 3, open: 2)
        let base = edge.world.playback(of: "s1")
        try await edge.world.routes { client in
            async let waiting = client.execute(
                uri: "\(base)/cmaf_0/stream.m3u8?_HLS_msn=3&_HLS_part=2", method: .get)
            #expect(await comesAbout { edge.edge.waitCount == 1 })
            try edge.publish(3, 2)
            let answer = try await waiting
            #expect(String(buffer: answer.body).contains("part_00003_2.m4s"))
            #expect(answer.headers[.cacheControl] == "private, no-cache")
            let part = try await client.execute(
                uri: "\(base)/cmaf_0/\(EdgeWorld.name(3, 2))", method: .get)
            #expect(part.headers[.cacheControl] == "private, max-age=60")
            for path in ["/hls/demo/.s1", "/hls/demo/s1"] {
                let unsigned = try await client.execute(
                    uri: "\(path)/cmaf_0/stream.m3u8", method: .get)
                #expect(unsigned.status == .notFound)
            }
        }
    }
}
