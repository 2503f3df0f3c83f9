import HLS
import MediaKernel
import Testing

let masterText = """
    #EXTM3U
    #EXT-X-VERSION:1
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-STREAM-INF:BANDWIDTH=3300000,AVERAGE-BANDWIDTH=2210000,\
    CODECS="avc1.64001F,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=30.000
    stream_0/stream.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.64001E,mp4a.40.2",RESOLUTION=640x360,\
    FRAME-RATE=29.970
    stream_1/stream.m3u8

    """

@Suite struct MasterPlaylistTests {
    @Test func aMasterIsWrittenAsAgreed() {
        let master = MasterPlaylist(variants: [
            .init(
                uri: "stream_0/stream.m3u8", bandwidth: 3_300_000, averageBandwidth: 2_210_000,
                codecs: "avc1.64001F,mp4a.40.2", width: 1280, height: 720, frameRate: 30),
            .init(
                uri: "stream_1/stream.m3u8", bandwidth: 900_000,
                codecs: "avc1.64001E,mp4a.40.2", width: 640, height: 360,
                frameRate: 30_000.0 / 1001),
        ])
        #expect(master.rendered() == masterText)
    }

    @Test func whatIsReadIsWrittenBackToTheByte() throws {
        let master = try MasterPlaylist(parsing: masterText)
        #expect(master.rendered() == masterText)
        #expect(master.independentSegments)
        #expect(master.variants[0].averageBandwidth == 2_210_000)
        #expect(master.variants[1].averageBandwidth == nil)
        #expect(master.variants[1].frameRate == 29.97)
        #expect(master.variants[0].codecs == "avc1.64001F,mp4a.40.2")
    }

    @Test func theTransportStreamCostsAFewPercent() {
        for layer in Ladder.standard.layers {
            let rate = TransportStreamBitrate(
                layer: layer, segmentDuration: MediaTime(ticks: 60, timescale: 30))
            let elementary = layer.videoBitrate + layer.audioBitrate
            let average = rate.averageBandwidth
            // Up to a fifth on thin layers.
            #expect(average > elementary && average < elementary * 6 / 5, "\(layer)")
            #expect(rate.bandwidth > average && rate.bandwidth < average * 2)
            #expect(rate.bandwidth.isMultiple(of: 1000))
        }
    }

    @Test func theWorstSegmentTheBucketAllowsIsWithinATenthOfTheBandwidth() {
        let slow = [5, 9, 10].map {
            Layer(
                width: 640, height: 360, frameRate: $0, videoBitrate: 300_000,
                audioBitrate: 64_000)
        }
        for layer in Ladder.standard.layers + slow {
            for halves: Int64 in [1, 2, 4, 8, 20] {
                let frames = halves * Int64(layer.frameRate) / 2
                let duration = MediaTime(ticks: frames, timescale: Int32(layer.frameRate))
                let bitrate = TransportStreamBitrate(layer: layer, segmentDuration: duration)
                let packets = worstPackets(layer, frames: Int(frames))
                let worst = Double(packets * 188 * 8) / duration.seconds
                #expect(worst <= 1.1 * Double(bitrate.bandwidth), "\(layer) \(frames)")
                #expect(worst > 0.8 * Double(bitrate.bandwidth), "\(layer) \(frames)")
            }
        }
    }

    /// Counts packets one by one: a full bucket spent on one picture, the rest evenly. Below ten
    /// pictures a second each picture comes with a clock reference.
    private func worstPackets(_ layer: Layer, frames: Int) -> Int {
        let control = VideoRateControl.standard
        let perFrame = control.bitrateMaximum(average: layer.videoBitrate) / 8 / layer.frameRate
        let buffer = control.bufferBits(average: layer.videoBitrate) / 8
        var packets = 3
        for frame in 0..<frames {
            let bytes = perFrame + (frame == 0 ? buffer : 0) + 33
            packets += (bytes + 183) / 184 + (layer.frameRate < 10 ? 1 : 0)
        }
        let seconds = Double(frames) / Double(layer.frameRate)
        let aacFrames = Int((seconds * 46.875).rounded(.down))
        let aacBytes = layer.audioBitrate * 1024 / 48_000 / 8 + 7
        packets += aacFrames / 4 * ((aacBytes * 4 + 14 + 183) / 184)
        return packets
    }

    /// RFC 8216 sect. 4.3.4.2. The worst case is reduced by a tenth, of which audio takes no more
    /// than of the average.
    @Test func noAverageIsAboveItsBandwidth() {
        for audio in [16_000, 96_000, 320_000] {
            for seconds: Int64 in [1, 4, 20] {
                let duration = MediaTime(ticks: seconds, timescale: 1)
                let layer = Layer(
                    width: 256, height: 144, videoBitrate: 50_000, audioBitrate: audio)
                for rate in [
                    TransportStreamBitrate(layer: layer, segmentDuration: duration),
                    TransportStreamBitrate(soundBitrate: audio, segmentDuration: duration),
                ] {
                    #expect(rate.bandwidth >= rate.averageBandwidth, "\(audio) in \(seconds) s")
                    #expect(rate.bandwidth >= rate.peak * 10 / 11)
                }
            }
        }
    }

    /// For audio alone, packets of two blocks are the worst case: each has a header, and ends in a
    /// transport packet that is not full.
    @Test func theWorstSegmentOfSoundAloneIsCountedByItsPackets() {
        // 375 blocks in 8 s, 188 packets of two with 14 bytes of header and 8 of the clock, 7 of
        // each block.
        let bytes = 8 * 96_000 / 8 + 375 * 7 + 375 * 22 / 2
        let packets = Double(bytes) / 184 + 375.0 / 2 + 3
        let rate = TransportStreamBitrate(
            soundBitrate: 96_000, segmentDuration: MediaTime(ticks: 8, timescale: 1))
        #expect(abs(Double(rate.peak) - packets * 188) < 500, "\(rate.peak)")
    }

    @Test func brokenMastersAreRefusedWithTheirLine() {
        let head = "#EXTM3U\n"
        let cases: [(String, PlaylistError)] = [
            ("", .notAPlaylist),
            ("#EXTM3U8\n", .notAPlaylist),
            (head, .missingTag("EXT-X-STREAM-INF")),
            (head + "a.m3u8\n", .unpairedEntry(line: 2)),
            (head + "#EXT-X-STREAM-INF:BANDWIDTH=1\n", .unpairedEntry(line: 2)),
            (head + "#EXTINF:2,\na.ts\n", .misplacedTag("EXTINF", line: 2)),
            (
                head + "#EXT-X-STREAM-INF:CODECS=\"a\"\na\n",
                .missingAttribute("BANDWIDTH", line: 2)
            ),
            (
                head + "#EXT-X-STREAM-INF:BANDWIDTH=x\na\n",
                .malformedAttribute("BANDWIDTH", line: 2)
            ),
            (
                head + "#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"a\na\n",
                .malformedAttribute("CODECS", line: 2)
            ),
            (
                head + "#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"a\",RESOLUTION=1x\na\n",
                .malformedAttribute("RESOLUTION", line: 2)
            ),
            (
                head + "#EXT-X-STREAM-INF:BANDWIDTH=1,BANDWIDTH=2\na\n",
                .malformedAttribute("BANDWIDTH", line: 2)
            ),
        ]
        for (text, error) in cases {
            #expect(throws: error) { try MasterPlaylist(parsing: text) }
        }
    }
}
