/// Writes EBML elements: an id, a length, and content or further elements. RFC 8794.
struct ElementWriter {
    private(set) var bytes: [UInt8] = []

    /// All lengths have eight bytes, so that a header's size does not depend on its content's.
    static let lengthBytes = 8

    /// - Parameter id: with its own length marker, as in RFC 9559.
    mutating func id(_ id: ElementID) {
        let value = id.rawValue
        for shift: UInt32 in [24, 16, 8] where value >> shift != 0 {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    mutating func length(_ count: Int) {
        bytes.append(0x01)
        for shift in stride(from: 48, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: count >> shift))
        }
    }

    /// For a parent that ends with its file. RFC 8794 sect. 6.2.
    mutating func unknownLength() { bytes += [0x01] + Array(repeating: 0xFF, count: 7) }

    mutating func element(_ id: ElementID, _ content: (inout ElementWriter) -> Void) {
        var inner = ElementWriter()
        content(&inner)
        binary(id, inner.bytes)
    }

    mutating func binary(_ id: ElementID, _ content: [UInt8]) {
        self.id(id)
        length(content.count)
        bytes += content
    }

    /// Always eight bytes.
    mutating func unsigned(_ id: ElementID, _ value: UInt64) {
        self.id(id)
        length(8)
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    mutating func float(_ id: ElementID, _ value: Double) { unsigned(id, value.bitPattern) }

    mutating func text(_ id: ElementID, _ text: String) { binary(id, Array(text.utf8)) }

    mutating func raw(_ more: some Sequence<UInt8>) { bytes += more }
}

/// The elements in use. RFC 9559 sect. 5.1.
enum ElementID: UInt32 {
    case ebml = 0x1A45_DFA3
    case ebmlVersion = 0x4286
    case ebmlReadVersion = 0x42F7
    case ebmlMaxIDLength = 0x42F2
    case ebmlMaxSizeLength = 0x42F3
    case docType = 0x4282
    case docTypeVersion = 0x4287
    case docTypeReadVersion = 0x4285
    case crc32 = 0xBF
    case segment = 0x1853_8067
    case seekHead = 0x114D_9B74
    case seek = 0x4DBB
    case seekID = 0x53AB
    case seekPosition = 0x53AC
    case info = 0x1549_A966
    case timestampScale = 0x2AD7B1
    case duration = 0x4489
    case muxingApp = 0x4D80
    case writingApp = 0x5741
    case tracks = 0x1654_AE6B
    case trackEntry = 0xAE
    case trackNumber = 0xD7
    case trackUID = 0x73C5
    case trackType = 0x83
    case flagLacing = 0x9C
    case language = 0x22B59C
    case codecID = 0x86
    case codecPrivate = 0x63A2
    case codecDelay = 0x56AA
    case seekPreRoll = 0x56BB
    case video = 0xE0
    case pixelWidth = 0xB0
    case pixelHeight = 0xBA
    case projection = 0x7670
    case projectionType = 0x7671
    case projectionPoseYaw = 0x7673
    case projectionPosePitch = 0x7674
    case projectionPoseRoll = 0x7675
    case audio = 0xE1
    case samplingFrequency = 0xB5
    case channels = 0x9F
    case cluster = 0x1F43_B675
    case timestamp = 0xE7
    case simpleBlock = 0xA3
    case cues = 0x1C53_BB6B
    case cuePoint = 0xBB
    case cueTime = 0xB3
    case cueTrackPositions = 0xB7
    case cueTrack = 0xF7
    case cueClusterPosition = 0xF1
}
