import HLS
import MediaKernel
import Testing
import Workbench

@Suite struct MediaPlaylistBuilderTests {
    private func segment(_ index: Int, frames: Int64 = 60) -> Segment {
        Segment(
            uri: "segment_\(index).ts", duration: MediaTime(ticks: frames, timescale: 30),
            programDateTime: noon + Int64(index) * 2_000_000_000)
    }

    @Test func everyVersionOfALiveStreamObeysTheRules() throws {
        var builder = MediaPlaylistBuilder(mode: .live(window: 5), targetDuration: 2)
        var validator = PlaylistValidator()
        for index in 0..<40 {
            if index == 11 || index == 23 { builder.markDiscontinuity() }
            try builder.add(segment(index))
            #expect(validator.observe(builder.playlist) == [])
            #expect(validator.observe(try MediaPlaylist(parsing: builder.rendered())) == [])
            #expect(builder.playlist.segments.count == min(index + 1, 5))
            #expect(builder.nextMediaSequence == index + 1)
        }
        #expect(builder.playlist.mediaSequence == 35)
        #expect(builder.playlist.discontinuitySequence == 2)
        builder.end()
        #expect(validator.observe(builder.playlist) == [])
    }

    @Test func whatLeavesTheWindowIsHandedBackInOrder() throws {
        var builder = MediaPlaylistBuilder(mode: .live(window: 4), targetDuration: 2)
        var left: [String] = []
        for index in 0..<10 { left += try builder.add(segment(index)).map(\.uri) }
        #expect(left == (0..<6).map { "segment_\($0).ts" })
    }

    @Test func aWindowNeverFallsBelowThreeTargetDurations() throws {
        var builder = MediaPlaylistBuilder(mode: .live(window: 1), targetDuration: 2)
        for index in 0..<10 { try builder.add(segment(index)) }
        #expect(builder.playlist.segments.count == 3)
        // Short segments count by their duration, not as one each.
        for index in 10..<30 { try builder.add(segment(index, frames: 30)) }
        #expect(builder.playlist.segments.count == 6)
    }

    /// In every version, so that the first discontinuity to leave changes a number and no tag.
    @Test func aLiveStreamCountsItsDiscontinuitiesFromTheStart() throws {
        var builder = MediaPlaylistBuilder(mode: .live(window: 3), targetDuration: 2)
        try builder.add(segment(0))
        #expect(builder.rendered().contains("#EXT-X-DISCONTINUITY-SEQUENCE:0\n"))
    }

    @Test func aSegmentsOwnDiscontinuitiesAreNotLost() throws {
        var builder = MediaPlaylistBuilder(mode: .event, targetDuration: 2)
        try builder.add(segment(0))
        builder.markDiscontinuity()
        var other = segment(1)
        other.discontinuities = 2
        try builder.add(other)
        other = segment(2)
        other.discontinuities = 1
        try builder.add(other)
        #expect(builder.playlist.segments.map(\.discontinuities) == [0, 2, 1])
    }

    /// For instance after a manual change; the number is the longest accepted one.
    @Test func aPlaylistWithAnyTargetDurationGoesOn() throws {
        let playlist = MediaPlaylist(
            kind: .live, targetDuration: 999_999_999_999_999_999, segments: [segment(0)])
        var builder = try MediaPlaylistBuilder(resuming: playlist, window: 1)
        for index in 1..<5 { #expect(try builder.add(segment(index)).isEmpty) }
        #expect(builder.playlist.segments.count == 5)
    }

    @Test func anEventPlaylistKeepsEverythingAndRendersLikeItsPlaylist() throws {
        var builder = MediaPlaylistBuilder(mode: .event, targetDuration: 2)
        var validator = PlaylistValidator()
        for index in 0..<50 {
            if index == 7 { builder.markDiscontinuity() }
            #expect(try builder.add(segment(index)).isEmpty)
            #expect(builder.rendered() == builder.playlist.rendered())
            #expect(validator.observe(builder.playlist) == [])
        }
        builder.end()
        #expect(builder.rendered() == builder.playlist.rendered())
        #expect(builder.rendered().hasSuffix("#EXT-X-ENDLIST\n"))
        #expect(builder.playlist.segments.count == 50)
    }

    @Test(arguments: [PlaylistMode.event, .live(window: 3)])
    func discontinuitiesThatOtherLayersHadAreCounted(mode: PlaylistMode) throws {
        var builder = MediaPlaylistBuilder(mode: mode, targetDuration: 2)
        builder.raiseDiscontinuitySequence(to: 2)
        func add(_ numbers: Range<Int>) throws {
            for number in numbers {
                try builder.add(
                    Segment(uri: "\(number).ts", duration: MediaTime(ticks: 2, timescale: 1)))
            }
        }
        try add(0..<2)
        #expect(builder.playlist.segments.map(\.discontinuities) == [0, 0])
        #expect(builder.playlist.discontinuitySequence == 2)
        builder.markDiscontinuity()
        builder.raiseDiscontinuitySequence(to: 1)
        #expect(builder.nextDiscontinuitySequence == 3, "it never falls")
        builder.raiseDiscontinuitySequence(to: 5)
        #expect(builder.nextDiscontinuitySequence == 5)
        try add(2..<3)
        #expect(builder.playlist.discontinuitySequences == [2, 2, 5])
        let parsed = try MediaPlaylist(parsing: builder.rendered())
        #expect(parsed.segments.map(\.discontinuities) == [0, 0, 3])
        #expect(parsed.discontinuitySequences == [2, 2, 5])
        var validator = PlaylistValidator()
        #expect(validator.observe(parsed).isEmpty)
        for number in 3..<8 {
            try add(number..<number + 1)
            #expect(validator.observe(builder.playlist).isEmpty)
        }
        #expect(builder.playlist.discontinuitySequences.last == 5)
    }

    @Test func theFirstSegmentIsNoDiscontinuity() throws {
        var builder = MediaPlaylistBuilder(mode: .event, targetDuration: 2)
        builder.markDiscontinuity()
        try builder.add(segment(0))
        #expect(!builder.playlist.segments[0].isDiscontinuity)
    }

    @Test func aRestartedStreamGoesOnWithOneDiscontinuity() throws {
        for mode in [PlaylistMode.event, .live(window: 4)] {
            var first = MediaPlaylistBuilder(mode: mode, targetDuration: 2)
            var validator = PlaylistValidator()
            for index in 0..<6 { try first.add(segment(index)) }
            #expect(validator.observe(first.playlist) == [])
            let found = try MediaPlaylist(parsing: first.rendered())
            var second = try MediaPlaylistBuilder(resuming: found, window: 4)
            #expect(second.mode == mode)
            #expect(second.nextMediaSequence == 6)
            for index in 6..<8 { try second.add(segment(index + 100)) }
            #expect(validator.observe(second.playlist) == [])
            #expect(second.rendered() == second.playlist.rendered())
            #expect(second.playlist.segments.suffix(2).map(\.isDiscontinuity) == [true, false])
        }
    }

    @Test func afterTheEndNothingIsTaken() throws {
        var builder = MediaPlaylistBuilder(mode: .event, targetDuration: 2)
        try builder.add(segment(0))
        builder.end()
        #expect(throws: PlaylistError.ended) { try builder.add(segment(1)) }
        let ended = try MediaPlaylist(parsing: builder.rendered())
        #expect(throws: PlaylistError.ended) {
            try MediaPlaylistBuilder(resuming: ended, window: 4)
        }
    }

    @Test func segmentsThatWouldBreakThePlaylistAreRefused() throws {
        var builder = MediaPlaylistBuilder(mode: .event, targetDuration: 2)
        try builder.add(segment(0, frames: 74))
        #expect(
            throws: PlaylistError.segmentTooLong(
                duration: MediaTime(ticks: 75, timescale: 30), targetDuration: 2)
        ) { try builder.add(segment(1, frames: 75)) }
        for uri in ["", "#a.ts", "a\n#EXT-X-ENDLIST", "a\r"] {
            #expect(throws: PlaylistError.unusableURI(uri)) {
                try builder.add(Segment(uri: uri, duration: MediaTime(ticks: 1, timescale: 1)))
            }
        }
        #expect(builder.playlist.segments.count == 1)
    }
}
