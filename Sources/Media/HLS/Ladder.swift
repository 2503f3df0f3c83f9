/// The layers of a stream, best first. A value of this type has been checked.
public struct Ladder: Hashable, Sendable {
    public let layers: [Layer]

    /// Layers that a stream may have. Five rungs span 1080p to 240p; more only cost encoders.
    public static let layersMaximum = 5
    /// Luma samples of the shorter side. Below, nothing is recognisable; above is not offered.
    public static let shortSides = 144...1080
    /// Luma samples of the longer side.
    public static let longSides = 192...1920
    /// Frames per second. Sound is mixed a whole frame at a time, so it must arrive a frame
    /// earlier: at lower rates no playout delay is long enough.
    public static let frameRates = 5...60
    /// Bits per second. The upper end is H.264 level 4.2's order of magnitude at 1080p60.
    public static let videoBitrates = 50_000...20_000_000
    /// Bits per second that stereo AAC-LC at 48 kHz can use well.
    public static let audioBitrates = 16_000...320_000

    /// Per cent by which a layer's shape may differ from the best one's: as much as even sides
    /// need. A larger difference would be visible, since each layer shows the whole canvas.
    static let shapeTolerance = 1

    /// 1280x720, 854x480 and 640x360 at 30 frames a second.
    public static let standard = Ladder(trusted: [
        Layer(width: 1280, height: 720, videoBitrate: 2_000_000, audioBitrate: 96_000),
        Layer(width: 854, height: 480, videoBitrate: 850_000, audioBitrate: 96_000),
        Layer(width: 640, height: 360, videoBitrate: 500_000, audioBitrate: 64_000),
    ])

    private init(trusted layers: [Layer]) { self.layers = layers }

    /// Checks every rule; the error names the first layer that breaks one, and the rule.
    ///
    /// From each layer to the next the picture does not grow and the video bitrate falls, so that a
    /// player that steps down always needs less bandwidth.
    public init(validating layers: [Layer]) throws(LadderError) {
        guard !layers.isEmpty else { throw .noLayers }
        guard layers.count <= Self.layersMaximum else {
            throw .tooManyLayers(count: layers.count, maximum: Self.layersMaximum)
        }
        for (index, layer) in layers.enumerated() {
            try Self.check(layer, at: index)
            guard index > 0 else { continue }
            try Self.check(layer, at: index, after: layers[index - 1])
            guard Self.isAlike(layer, layers[0]) else {
                throw .shape(
                    layer: index, width: layer.width, height: layer.height, first: layers[0])
            }
        }
        self.layers = layers
    }

    /// Frames per second of all layers.
    public var frameRate: Int { layers[0].frameRate }

    /// The best layer; the stage is composed in its size.
    public var top: Layer { layers[0] }

    private static func check(_ layer: Layer, at index: Int) throws(LadderError) {
        // The sides come first: the other rules multiply them, and must not meet absurd numbers.
        guard shortSides.contains(layer.shortSide) else {
            throw .shortSide(layer: index, value: layer.shortSide, allowed: shortSides)
        }
        guard longSides.contains(layer.longSide) else {
            throw .longSide(layer: index, value: layer.longSide, allowed: longSides)
        }
        guard layer.width.isMultiple(of: 2), layer.height.isMultiple(of: 2) else {
            throw .oddSize(layer: index, width: layer.width, height: layer.height)
        }
        guard frameRates.contains(layer.frameRate) else {
            throw .frameRate(layer: index, value: layer.frameRate, allowed: frameRates)
        }
        guard videoBitrates.contains(layer.videoBitrate) else {
            throw .videoBitrate(layer: index, value: layer.videoBitrate, allowed: videoBitrates)
        }
        guard audioBitrates.contains(layer.audioBitrate) else {
            throw .audioBitrate(layer: index, value: layer.audioBitrate, allowed: audioBitrates)
        }
    }

    private static func isAlike(_ layer: Layer, _ first: Layer) -> Bool {
        let (ours, theirs) = (layer.width * first.height, first.width * layer.height)
        return abs(ours - theirs) * 100 <= theirs * shapeTolerance
    }

    private static func check(
        _ layer: Layer, at index: Int, after above: Layer
    ) throws(LadderError) {
        // All layers' segments are cut at the same frame, so the layers must count frames alike.
        guard layer.frameRate == above.frameRate else {
            throw .mixedFrameRates(layer: index, value: layer.frameRate, first: above.frameRate)
        }
        guard layer.width * layer.height <= above.width * above.height else {
            throw .sizeRises(layer: index)
        }
        guard layer.videoBitrate < above.videoBitrate else {
            throw .videoBitrateDoesNotFall(layer: index)
        }
    }
}
