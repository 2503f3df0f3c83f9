/// A mistake in a requested ladder or segment duration.
///
/// The caller's fault; the service has not started anything. Layers are counted from 0, the best
/// one.
public enum LadderError: Error, Hashable, Sendable {
    case noLayers
    case tooManyLayers(count: Int, maximum: Int)
    /// Chroma is subsampled by two in both directions (4:2:0), so both sides are even.
    case oddSize(layer: Int, width: Int, height: Int)
    case shortSide(layer: Int, value: Int, allowed: ClosedRange<Int>)
    case longSide(layer: Int, value: Int, allowed: ClosedRange<Int>)
    case frameRate(layer: Int, value: Int, allowed: ClosedRange<Int>)
    case mixedFrameRates(layer: Int, value: Int, first: Int)
    case videoBitrate(layer: Int, value: Int, allowed: ClosedRange<Int>)
    case audioBitrate(layer: Int, value: Int, allowed: ClosedRange<Int>)
    /// The layer's sides are not in the proportion of the best layer's.
    case shape(layer: Int, width: Int, height: Int, first: Layer)
    /// The layer has more pixels than the one above it.
    case sizeRises(layer: Int)
    /// The layer's video bitrate is not below that of the one above it.
    case videoBitrateDoesNotFall(layer: Int)
    /// Milliseconds.
    case segmentDuration(value: Int, allowed: ClosedRange<Int>)
}

extension LadderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noLayers: "a ladder needs at least one layer"
        case .tooManyLayers(let count, let maximum):
            "a ladder has at most \(maximum) layers, not \(count)"
        case .oddSize(let layer, let width, let height):
            "layer \(layer): width and height must be even, not \(width)x\(height)"
        case .shortSide(let layer, let value, let allowed):
            "layer \(layer): the short side must be \(text(allowed)) pixels, not \(value)"
        case .longSide(let layer, let value, let allowed):
            "layer \(layer): the long side must be \(text(allowed)) pixels, not \(value)"
        case .frameRate(let layer, let value, let allowed):
            "layer \(layer): the frame rate must be \(text(allowed)), not \(value)"
        case .mixedFrameRates(let layer, let value, let first):
            "layer \(layer): all layers share one frame rate; \(value) differs from \(first)"
        case .videoBitrate(let layer, let value, let allowed):
            "layer \(layer): the video bitrate must be \(kilobits(allowed)), not \(kilobits(value))"
        case .audioBitrate(let layer, let value, let allowed):
            "layer \(layer): the audio bitrate must be \(kilobits(allowed)), not \(kilobits(value))"
        case .shape(let layer, let width, let height, let first):
            "layer \(layer): all layers share one shape; \(width)x\(height) differs from "
                + "\(first.width)x\(first.height)"
        case .sizeRises(let layer):
            "layer \(layer): layers go from large to small, but this one is larger than layer "
                + "\(layer - 1)"
        case .videoBitrateDoesNotFall(let layer):
            "layer \(layer): its video bitrate must be below that of layer \(layer - 1)"
        case .segmentDuration(let value, let allowed):
            "the segment duration must be \(text(allowed)) ms, not \(value)"
        }
    }

    /// Ladders are written in kbit/s.
    private func kilobits(_ bits: Int) -> String {
        bits.isMultiple(of: 1000) ? "\(bits / 1000)" : "\(Double(bits) / 1000)"
    }

    private func kilobits(_ range: ClosedRange<Int>) -> String {
        "\(kilobits(range.lowerBound)) to \(kilobits(range.upperBound)) kbit/s"
    }

    private func text(_ range: ClosedRange<Int>) -> String {
        "\(range.lowerBound) to \(range.upperBound)"
    }
}
