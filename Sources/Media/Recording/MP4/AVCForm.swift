/// H.264 in MP4's form, units after their lengths, and in that of encoders and decoders, units after
/// start codes. ISO/IEC 14496-15 sect. 5.3, ITU-T H.264 Annex B.
public enum AVCForm {
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// A picture without its parameter sets.
    public static func sample(annexB bytes: [UInt8]) -> [UInt8] {
        var sample: [UInt8] = []
        sample.reserveCapacity(bytes.count + 16)
        _ = AccessUnit(annexB: bytes, from: 0, appendingTo: &sample)
        return sample
    }

    /// AVCDecoderConfigurationRecord; nil for sets that are none.
    public static func configuration(sequence: [UInt8], picture: [UInt8]) -> [UInt8]? {
        ParameterSets(sequence: sequence, picture: picture)?.decoderConfiguration
    }

    /// - Parameter sample: up to a unit that is torn.
    public static func annexB(_ sample: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sample.count + 16)
        var position = 0
        while position + 4 <= sample.count {
            let length = sample[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            position += 4
            guard length > 0, length <= sample.count - position else { break }
            bytes += startCode
            bytes += sample[position..<position + length]
            position += length
        }
        return bytes
    }

    /// The parameter sets of an AVCDecoderConfigurationRecord with one of each kind.
    public static func parameterSets(of configuration: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        // Version, profile, constraints, level, and the length of lengths.
        var position = 5
        for _ in 0..<2 {
            guard position + 3 <= configuration.count else { return bytes }
            let length = Int(configuration[position + 1]) << 8 | Int(configuration[position + 2])
            position += 3
            guard length <= configuration.count - position else { return bytes }
            bytes += startCode
            bytes += configuration[position..<position + length]
            position += length
        }
        return bytes
    }
}
