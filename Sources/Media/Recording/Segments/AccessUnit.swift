/// One coded picture, converted from a transport stream's form (start codes, ITU-T H.264 Annex B)
/// to MP4's (lengths, ISO/IEC 14496-15 sect. 5.3.4).
struct AccessUnit {
    private(set) var isKeyframe = false
    private(set) var sequenceParameters: [UInt8]?
    private(set) var pictureParameters: [UInt8]?
    /// Of its units with their lengths, without parameter sets.
    private(set) var byteCount = 0

    /// nal_unit_type, H.264 table 7-1.
    private enum UnitType {
        static let keyframeSlice: UInt8 = 5
        static let sequenceParameters: UInt8 = 7
        static let pictureParameters: UInt8 = 8
        static let delimiter: UInt8 = 9
        static let filler: UInt8 = 12
    }

    /// Appends the picture's units to `output`, each after its length. Parameter sets are stored
    /// separately, delimiters and filler are left out: samples of an `avc1` track have none.
    init(annexB bytes: [UInt8], from start: Int, appendingTo output: inout [UInt8]) {
        forEachUnit(of: bytes, from: start) { unit in
            let length = UInt32(truncatingIfNeeded: unit.count)
            for shift: UInt32 in [24, 16, 8, 0] {
                output.append(UInt8(truncatingIfNeeded: length >> shift))
            }
            output.append(contentsOf: unit)
        }
    }

    /// Only measures the picture.
    init(annexB bytes: [UInt8]) { forEachUnit(of: bytes, from: 0) { _ in } }

    private mutating func forEachUnit(
        of bytes: [UInt8], from start: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        bytes.withUnsafeBufferPointer { buffer in
            let stream = UnsafeBufferPointer(rebasing: buffer[start...])
            var position = Self.startCode(in: stream, from: 0)
            while let begin = position {
                let next = Self.startCode(in: stream, from: begin + 3)
                var end = next ?? stream.count
                // trailing_zero_8bits, and the first zero of a four-byte start code.
                while end > begin + 3, stream[end - 1] == 0 { end -= 1 }
                if end > begin + 3 {
                    take(UnsafeBufferPointer(rebasing: stream[(begin + 3)..<end]), body)
                }
                position = next
            }
        }
    }

    private mutating func take(
        _ unit: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        switch unit[0] & 0x1F {
        case UnitType.sequenceParameters: sequenceParameters = Array(unit)
        case UnitType.pictureParameters: pictureParameters = Array(unit)
        case UnitType.delimiter, UnitType.filler: break
        case let type:
            if type == UnitType.keyframeSlice { isKeyframe = true }
            byteCount += 4 + unit.count
            body(unit)
        }
    }

    /// The position of the next `00 00 01`.
    private static func startCode(
        in stream: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        var position = start
        while position + 2 < stream.count {
            let third = stream[position + 2]
            // A byte above 1 cannot be in any of the three places.
            if third > 1 {
                position += 3
            } else if third == 1, stream[position] == 0, stream[position + 1] == 0 {
                return position
            } else {
                position += 1
            }
        }
        return nil
    }
}
