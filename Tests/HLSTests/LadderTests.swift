import HLS
import Testing

@Suite struct LadderTests {
    private func layer(
        _ width: Int, _ height: Int, _ video: Int = 1_000_000, audio: Int = 96_000, rate: Int = 30
    ) -> Layer {
        Layer(
            width: width, height: height, frameRate: rate, videoBitrate: video, audioBitrate: audio)
    }

    @Test func theStandardLadderKeepsItsOwnRules() throws {
        #expect(try Ladder(validating: Ladder.standard.layers) == .standard)
        #expect(Ladder.standard.layers.map(\.width) == [1280, 854, 640])
        #expect(Ladder.standard.layers.map(\.videoBitrate) == [2_000_000, 850_000, 500_000])
        #expect(Ladder.standard.layers.map(\.audioBitrate) == [96_000, 96_000, 64_000])
        #expect(Ladder.standard.frameRate == 30)
    }

    @Test func eachBrokenRuleIsNamedWithItsLayer() {
        let good = layer(1280, 720, 2_000_000)
        let cases: [([Layer], LadderError)] = [
            ([], .noLayers),
            (
                (0..<6).map { layer(1280, 720, 2_000_000 - $0) },
                .tooManyLayers(count: 6, maximum: 5)
            ),
            ([layer(1281, 720)], .oddSize(layer: 0, width: 1281, height: 720)),
            ([good, layer(640, 361)], .oddSize(layer: 1, width: 640, height: 361)),
            ([layer(256, 142)], .shortSide(layer: 0, value: 142, allowed: 144...1080)),
            ([layer(1920, 1082)], .shortSide(layer: 0, value: 1082, allowed: 144...1080)),
            ([layer(190, 144)], .longSide(layer: 0, value: 190, allowed: 192...1920)),
            ([layer(1080, 1922)], .longSide(layer: 0, value: 1922, allowed: 192...1920)),
            ([layer(.max, .min)], .shortSide(layer: 0, value: .min, allowed: 144...1080)),
            ([layer(1280, 720, rate: 4)], .frameRate(layer: 0, value: 4, allowed: 5...60)),
            ([layer(1280, 720, rate: 61)], .frameRate(layer: 0, value: 61, allowed: 5...60)),
            (
                [good, layer(640, 360, rate: 25)],
                .mixedFrameRates(layer: 1, value: 25, first: 30)
            ),
            (
                [layer(1280, 720, 49_999)],
                .videoBitrate(layer: 0, value: 49_999, allowed: 50_000...20_000_000)
            ),
            (
                [layer(1280, 720, audio: 320_001)],
                .audioBitrate(layer: 0, value: 320_001, allowed: 16_000...320_000)
            ),
            ([layer(640, 360, 3_000_000), good], .sizeRises(layer: 1)),
            ([good, layer(640, 360, 2_000_000)], .videoBitrateDoesNotFall(layer: 1)),
        ]
        for (layers, error) in cases {
            #expect(throws: error) { try Ladder(validating: layers) }
        }
    }

    @Test func theLimitsThemselvesAreAllowed() throws {
        _ = try Ladder(validating: [layer(1920, 1080), layer(256, 144, 50_000, audio: 16_000)])
        _ = try Ladder(validating: [layer(192, 144, 50_000, audio: 16_000)])
        _ = try Ladder(validating: [layer(1080, 1920, 20_000_000, audio: 320_000, rate: 60)])
        _ = try Ladder(validating: [layer(1280, 720), layer(1280, 720, 500_000)])
    }

    @Test func layersHaveOneShapeAsFarAsEvenSidesAllow() throws {
        let alike = [
            [(1280, 720), (854, 480), (848, 480), (640, 360), (426, 240), (256, 144)],
            [(1080, 1920), (720, 1280), (480, 854), (360, 640)], [(1080, 720), (720, 480)],
            [(720, 720), (360, 360)], [(1366, 768), (640, 360)],
        ]
        for sizes in alike {
            for size in sizes.dropFirst() {
                _ = try Ladder(validating: [
                    layer(sizes[0].0, sizes[0].1, 2_000_000), layer(size.0, size.1),
                ])
            }
        }
        for (first, other) in [
            ((1280, 720), (640, 480)), ((1280, 720), (360, 640)), ((1280, 720), (640, 352)),
            ((720, 1280), (640, 360)), ((1080, 720), (854, 480)), ((640, 640), (640, 360)),
        ] {
            #expect("\(first) \(other)") {
                try Ladder(validating: [
                    layer(first.0, first.1, 2_000_000), layer(other.0, other.1),
                ])
            } throws: { error in
                if case LadderError.shape(1, _, _, _) = error { true } else { false }
            }
        }
    }

    @Test func errorsReadAsSentences() {
        #expect(
            LadderError.oddSize(layer: 1, width: 641, height: 360).description
                == "layer 1: width and height must be even, not 641x360")
        #expect(
            LadderError.shortSide(layer: 0, value: 90, allowed: 144...1080).description
                == "layer 0: the short side must be 144 to 1080 pixels, not 90")
    }
}
