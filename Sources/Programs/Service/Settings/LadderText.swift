import HLS

/// A ladder as settings write it: `1280x720@2000+96` is a layer of 1280 by 720 pixels with
/// 2000 kbit/s of picture and 96 kbit/s of sound.
enum LadderText {
    static func layers(
        _ rungs: [String], frameRate: Int
    ) throws(SettingsError) -> [HLS.Layer] {
        var layers: [HLS.Layer] = []
        for rung in rungs {
            let numbers = rung.split(omittingEmptySubsequences: false) { "x@+".contains($0) }
                .map { Int($0) ?? -1 }
            let signs = rung.filter { "x@+".contains($0) }
            guard signs == "x@+", numbers.count == 4, numbers.allSatisfy({ 1...1_000_000 ~= $0 })
            else {
                throw .invalid(
                    key: SettingKey.streamLadder.rawValue,
                    reason: "'\(rung.prefix(40))' is not like 1280x720@2000+96")
            }
            layers.append(
                HLS.Layer(
                    width: numbers[0], height: numbers[1], frameRate: frameRate,
                    videoBitrate: numbers[2] * 1000, audioBitrate: numbers[3] * 1000))
        }
        return layers
    }
}
