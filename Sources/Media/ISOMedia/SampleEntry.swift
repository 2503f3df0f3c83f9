/// What a decoder must know of samples before it gets them: an entry of the `stsd` box.
public enum SampleEntry: Hashable, Sendable {
    /// - Parameters:
    ///   - width: luma samples.
    ///   - configuration: AVCDecoderConfigurationRecord. ISO/IEC 14496-15 sect. 5.3.3.1.
    case avc(width: UInt16, height: UInt16, configuration: [UInt8])
    /// - Parameter configuration: AudioSpecificConfig. ISO/IEC 14496-3 sect. 1.6.2.1.
    case aac(channels: UInt8, sampleRate: UInt32, configuration: [UInt8], Bitrate)

    /// Bits per second.
    public struct Bitrate: Hashable, Sendable {
        public var average: UInt32
        public var peak: UInt32

        public init(average: UInt32, peak: UInt32) {
            self.average = average
            self.peak = peak
        }
    }

    func write(to writer: inout BoxWriter) {
        switch self {
        case .avc(let width, let height, let configuration):
            Self.writeAVC(width, height, configuration, to: &writer)
        case .aac(let channels, let sampleRate, let configuration, let bitrate):
            Self.writeAAC(channels, sampleRate, configuration, bitrate, to: &writer)
        }
    }

    /// VisualSampleEntry with AVCConfigurationBox. ISO/IEC 14496-12 sect. 12.1.3, 14496-15
    /// sect. 5.4.2.
    private static func writeAVC(
        _ width: UInt16, _ height: UInt16, _ configuration: [UInt8], to writer: inout BoxWriter
    ) {
        writer.box("avc1") {
            $0.zeros(6)
            $0.write(UInt16(1))  // data reference
            $0.zeros(16)
            $0.write(width)
            $0.write(height)
            $0.write(UInt32(0x0048_0000))  // 72 dots an inch, twice
            $0.write(UInt32(0x0048_0000))
            $0.zeros(4)
            $0.write(UInt16(1))  // pictures a sample
            $0.zeros(32)  // compressor's name
            $0.write(UInt16(0x0018))  // colour without alpha
            $0.write(UInt16(0xFFFF))
            $0.box("avcC") { $0.write(configuration) }
            $0.box("pasp") {
                $0.write(UInt32(1))
                $0.write(UInt32(1))
            }
        }
    }

    /// AudioSampleEntry with an ES descriptor. ISO/IEC 14496-12 sect. 12.2.3, 14496-14 sect. 5.6.
    private static func writeAAC(
        _ channels: UInt8, _ sampleRate: UInt32, _ configuration: [UInt8], _ bitrate: Bitrate,
        to writer: inout BoxWriter
    ) {
        writer.box("mp4a") {
            $0.zeros(6)
            $0.write(UInt16(1))  // data reference
            $0.zeros(8)
            $0.write(UInt16(channels))
            $0.write(UInt16(16))  // bits a sample
            $0.zeros(4)
            $0.write(sampleRate << 16)
            $0.fullBox("esds") { $0.write(elementaryStream(configuration, bitrate)) }
        }
    }

    /// ES_Descriptor, DecoderConfigDescriptor, DecoderSpecificInfo, SLConfigDescriptor.
    /// ISO/IEC 14496-1 sect. 7.2.6.
    private static func elementaryStream(_ configuration: [UInt8], _ bitrate: Bitrate) -> [UInt8] {
        func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            [tag, UInt8(content.count)] + content
        }
        var decoder = BoxWriter()
        decoder.write(UInt8(0x40))  // MPEG-4 audio
        decoder.write(UInt8(0x15))  // an audio stream
        decoder.zeros(3)  // buffer size
        decoder.write(bitrate.peak)
        decoder.write(bitrate.average)
        decoder.write(descriptor(5, configuration))
        return descriptor(3, [0, 0, 0] + descriptor(4, decoder.bytes) + descriptor(6, [2]))
    }
}
