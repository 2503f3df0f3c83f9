/// A track of a Matroska or WebM file, as its `TrackEntry` describes it.
public struct MatroskaTrack: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Luma samples, before the picture is turned clockwise by `rotation` degrees.
        case video(width: Int, height: Int, rotation: Int = 0)
        case audio(channels: Int, sampleRate: Int)
    }

    public var kind: Kind
    /// Such as `V_VP8`, `A_OPUS`.
    public var codecID: String
    /// What the decoder must know before the first frame; empty for nothing.
    public var codecPrivate: [UInt8]
    /// What the decoder outputs first and is not heard, in nanoseconds.
    public var codecDelay: UInt64
    /// What must be decoded before a sought position, in nanoseconds.
    public var seekPreRoll: UInt64

    public init(
        _ kind: Kind, codecID: String, codecPrivate: [UInt8] = [], codecDelay: UInt64 = 0,
        seekPreRoll: UInt64 = 0
    ) {
        self.kind = kind
        self.codecID = codecID
        self.codecPrivate = codecPrivate
        self.codecDelay = codecDelay
        self.seekPreRoll = seekPreRoll
    }

    /// Whether WebM has it.
    var isWebM: Bool { ["V_VP8", "V_VP9", "V_AV1", "A_OPUS"].contains(codecID) }

    var isVideo: Bool { if case .video = kind { true } else { false } }

    /// Of the track at a position among those of its file.
    static func number(at index: Int) -> UInt64 { UInt64(index) + 1 }

    /// The `Tracks` element. RFC 9559 sect. 5.1.4.
    static func write(_ tracks: [MatroskaTrack], to writer: inout ElementWriter) {
        writer.element(.tracks) {
            for (index, track) in tracks.enumerated() {
                track.write(number: Self.number(at: index), to: &$0)
            }
        }
    }

    private func write(number: UInt64, to writer: inout ElementWriter) {
        writer.element(.trackEntry) {
            $0.unsigned(.trackNumber, number)
            $0.unsigned(.trackUID, number)
            $0.unsigned(.flagLacing, 0)
            $0.text(.language, "und")
            $0.text(.codecID, codecID)
            if !codecPrivate.isEmpty { $0.binary(.codecPrivate, codecPrivate) }
            if codecDelay > 0 { $0.unsigned(.codecDelay, codecDelay) }
            if seekPreRoll > 0 { $0.unsigned(.seekPreRoll, seekPreRoll) }
            switch kind {
            case .video(let width, let height, let rotation):
                $0.unsigned(.trackType, 1)
                $0.element(.video) {
                    $0.unsigned(.pixelWidth, UInt64(width))
                    $0.unsigned(.pixelHeight, UInt64(height))
                    if rotation != 0 { Self.write(rotation: rotation, to: &$0) }
                }
            case .audio(let channels, let sampleRate):
                $0.unsigned(.trackType, 2)
                $0.element(.audio) {
                    $0.float(.samplingFrequency, Double(sampleRate))
                    $0.unsigned(.channels, UInt64(channels))
                }
            }
        }
    }

    /// A flat picture, rolled. Rolls are counter-clockwise, from -180° to 180°.
    private static func write(rotation: Int, to writer: inout ElementWriter) {
        writer.element(.projection) {
            $0.unsigned(.projectionType, 0)
            $0.float(.projectionPoseYaw, 0)
            $0.float(.projectionPosePitch, 0)
            $0.float(.projectionPoseRoll, Double(rotation > 180 ? 360 - rotation : -rotation))
        }
    }
}

/// The head of a file.
enum FileHead {
    static func write(docType: String, to writer: inout ElementWriter) {
        writer.element(.ebml) {
            $0.unsigned(.ebmlVersion, 1)
            $0.unsigned(.ebmlReadVersion, 1)
            $0.unsigned(.ebmlMaxIDLength, 4)
            $0.unsigned(.ebmlMaxSizeLength, 8)
            $0.text(.docType, docType)
            $0.unsigned(.docTypeVersion, 4)
            $0.unsigned(.docTypeReadVersion, 2)
        }
    }

    /// - Parameters:
    ///   - scale: nanoseconds per tick.
    ///   - duration: in ticks; nil while it is unknown.
    static func writeInfo(scale: UInt64, duration: Double?, to writer: inout ElementWriter) {
        writer.element(.info) {
            $0.unsigned(.timestampScale, scale)
            if let duration { $0.float(.duration, duration) }
            $0.text(.muxingApp, "Roomcast")
            $0.text(.writingApp, "Roomcast")
        }
    }
}
