import HLS
import Jibri

extension Ladder {
    /// The layers with an operator's size, rate and bitrate for the best one; the others follow it.
    ///
    /// - Parameter isStream: whether the bitrate is meant.
    func changed(by picture: JibriPicture, isStream: Bool) -> Ladder {
        let size = (picture.width ?? top.width, picture.height ?? top.height)
        let sized = layers.map { layer in
            layer.resized(
                width: Self.even(layer.width * size.0, top.width),
                height: Self.even(layer.height * size.1, top.height))
        }
        let bitrate = isStream ? picture.streamBitrate : nil
        let changed = sized.map { layer in
            Layer(
                width: layer.width, height: layer.height,
                frameRate: picture.frameRate ?? layer.frameRate,
                videoBitrate: bitrate.map { $0 * layer.videoBitrate / sized[0].videoBitrate }
                    ?? layer.videoBitrate, audioBitrate: layer.audioBitrate)
        }
        // The lowest layers may be too small then.
        for count in stride(from: changed.count, to: 0, by: -1) {
            if let ladder = try? Ladder(validating: Array(changed.prefix(count))) { return ladder }
        }
        return self
    }

    private static func even(_ side: Int, _ divisor: Int) -> Int { (side / divisor + 1) & ~1 }
}
