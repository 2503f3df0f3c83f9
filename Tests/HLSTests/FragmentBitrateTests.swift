import MediaKernel
import Testing

@testable import HLS

@Suite struct FragmentBitrateTests {
    /// Fragments have less around their samples than transport streams, but not nothing.
    @Test func fragmentsNeedLessThanTransportStreams() {
        for seconds in 1...10 {
            let duration = MediaTime(ticks: Int64(seconds), timescale: 1)
            for layer in Ladder.standard.layers {
                let ours = FragmentBitrate(layer: layer, segmentDuration: duration)
                let theirs = TransportStreamBitrate(layer: layer, segmentDuration: duration)
                #expect(ours.average > layer.videoBitrate + layer.audioBitrate)
                #expect(ours.average < theirs.average && ours.peak < theirs.peak)
                #expect(ours.bandwidth >= ours.averageBandwidth)
                #expect(ours.bandwidth * 11 / 10 + 1000 >= ours.peak)
            }
            let sound = FragmentBitrate(soundBitrate: 96_000, segmentDuration: duration)
            let theirs = TransportStreamBitrate(soundBitrate: 96_000, segmentDuration: duration)
            #expect(sound.average > 96_000 && sound.average < theirs.average)
        }
    }

    /// 200 bytes each.
    @Test func partsHaveHeadsToo() {
        let duration = MediaTime(ticks: 2, timescale: 1)
        for layer in Ladder.standard.layers {
            let whole = FragmentBitrate(layer: layer, segmentDuration: duration)
            let parted = FragmentBitrate(layer: layer, segmentDuration: duration, parts: 6)
            #expect(parted.average == whole.average + 4000 && parted.peak == whole.peak + 4000)
        }
        let sound = FragmentBitrate(soundBitrate: 96_000, segmentDuration: duration)
        #expect(
            FragmentBitrate(soundBitrate: 96_000, segmentDuration: duration, parts: 6).average
                == sound.average + 4000)
    }
}
