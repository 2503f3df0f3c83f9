import HLS
import MediaKernel
import Testing
import Workbench

@Suite struct PlaylistValidatorTests {
    private func playlist(
        _ numbers: Range<Int>, kind: MediaPlaylist.Kind = .live,
        change: (inout MediaPlaylist) -> Void = { _ in }
    ) -> MediaPlaylist {
        var playlist = MediaPlaylist(
            kind: kind, targetDuration: 2, mediaSequence: numbers.lowerBound,
            segments: numbers.map {
                Segment(
                    uri: "\($0).ts", duration: MediaTime(ticks: 2, timescale: 1),
                    programDateTime: noon + Int64($0) * 2_000_000_000)
            })
        change(&playlist)
        return playlist
    }

    private func violations(
        _ first: MediaPlaylist, _ second: MediaPlaylist
    ) -> [PlaylistValidator.Violation] {
        var validator = PlaylistValidator()
        #expect(validator.observe(first) == [])
        return validator.observe(second)
    }

    @Test func aWellKeptStreamHasNoViolations() {
        #expect(violations(playlist(0..<4), playlist(0..<5)) == [])
        #expect(violations(playlist(0..<4), playlist(2..<6)) == [])
        #expect(violations(playlist(0..<4), playlist(9..<13)) == [])
    }

    @Test func changesThatNoReloadMayShowAreFound() {
        let base = playlist(4..<8)
        let cases: [(MediaPlaylist, [PlaylistValidator.Violation])] = [
            (playlist(3..<8), [.mediaSequenceFell(from: 4, to: 3)]),
            (playlist(4..<7), [.newestSegmentVanished(mediaSequence: 7)]),
            (playlist(4..<8) { $0.segments[1].uri = "x" }, [.segmentChanged(mediaSequence: 5)]),
            (
                playlist(4..<8) { $0.segments[1].discontinuities = 1 },
                [.segmentChanged(mediaSequence: 5)]
            ),
            (playlist(4..<8) { $0.targetDuration = 3 }, [.targetDurationChanged(from: 2, to: 3)]),
            (
                playlist(4..<8) { $0.hasDecimalDurations = false },
                [.versionChanged(from: 3, to: 1)]
            ),
            (playlist(4..<8, kind: .event), [.kindChanged]),
            (
                playlist(5..<9) { $0.discontinuitySequence = 1 },
                [.discontinuitySequenceWrong(expected: 0, found: 1)]
            ),
            (playlist(6..<8), [.windowTooShort(milliseconds: 4000)]),
        ]
        for (second, expected) in cases { #expect(violations(base, second) == expected) }
    }

    @Test func aDiscontinuityThatLeavesTheWindowIsCounted() {
        let first = playlist(0..<4) { $0.segments[0].discontinuities = 1 }
        #expect(violations(first, playlist(1..<5) { $0.discontinuitySequence = 1 }) == [])
        #expect(
            violations(first, playlist(1..<5)) == [
                .discontinuitySequenceWrong(expected: 1, found: 0)
            ])
    }

    @Test func eventPlaylistsLoseNothing() {
        #expect(
            violations(playlist(0..<4, kind: .event), playlist(1..<5, kind: .event)) == [
                .segmentsRemoved(from: 0, to: 1)
            ])
    }

    @Test func nothingChangesAfterTheEnd() {
        let ended = playlist(0..<4) { $0.isEnded = true }
        #expect(violations(ended, ended) == [])
        #expect(violations(ended, playlist(0..<5)) == [.changedAfterEnd])
    }

    @Test func aPlaylistIsCheckedInItself() {
        let long = playlist(0..<3) {
            $0.segments[2].duration = MediaTime(ticks: 5, timescale: 2)
        }
        #expect(
            PlaylistValidator.violations(of: long) == [
                .targetDurationExceeded(
                    mediaSequence: 2, duration: MediaTime(ticks: 5, timescale: 2),
                    targetDuration: 2)
            ])
        let repeated = playlist(0..<3) { $0.segments[2].uri = "0.ts" }
        #expect(PlaylistValidator.violations(of: repeated) == [.uriRepeated("0.ts")])
        let jumped = playlist(0..<2) { $0.segments[1].programDateTime = noon + 2_500_000_000 }
        #expect(
            PlaylistValidator.violations(of: jumped) == [
                .dateJumped(mediaSequence: 1, byMilliseconds: 500)
            ])
        let announced = playlist(0..<2) {
            $0.segments[1].programDateTime = noon + 2_500_000_000
            $0.segments[1].discontinuities = 1
        }
        #expect(PlaylistValidator.violations(of: announced) == [])
    }

    @Test func layersCutAtOtherFramesAreFound() {
        let top = playlist(0..<4)
        let late = playlist(1..<5)
        #expect(PlaylistValidator.violations(ofLayers: [top, late, top]) == [])
        let shifted = playlist(0..<4) {
            $0.segments[2].duration = MediaTime(ticks: 1, timescale: 1)
        }
        #expect(
            PlaylistValidator.violations(ofLayers: [top, shifted]) == [
                .layersDiffer(mediaSequence: 2)
            ])
        let moved = playlist(0..<4) { $0.segments[2].programDateTime? += 33_000_000 }
        #expect(
            PlaylistValidator.violations(ofLayers: [top, moved]) == [
                .layersDiffer(mediaSequence: 2)
            ])
        let undated = playlist(0..<4) { list in
            for place in list.segments.indices { list.segments[place].programDateTime = nil }
        }
        #expect(PlaylistValidator.violations(ofLayers: [undated, undated]) == [])
    }

    /// Segments with the same content have the same discontinuity sequence number, regardless of
    /// their own number.
    @Test func layersThatCountOtherDiscontinuitiesAreFound() {
        let top = playlist(0..<4) { $0.segments[1].discontinuities = 1 }
        let shorter = playlist(1..<4) { $0.mediaSequence = 0 }
        #expect(
            PlaylistValidator.violations(ofLayers: [top, shorter]) == [
                .discontinuitySequenceWrong(expected: 1, found: 0)
            ])
        let right = playlist(1..<4) {
            $0.mediaSequence = 0
            $0.discontinuitySequence = 1
        }
        #expect(PlaylistValidator.violations(ofLayers: [top, right, top]) == [])
    }
}
