import Codec
import Testing

@Suite struct OutputConnectionTests {
    /// The library may be built without SRT or TLS: no attempt can succeed.
    @Test func aProtocolThatTheLibraryLacksIsAMissingPart() throws {
        let video = try H264Encoder(
            VideoEncoderSettings(
                width: 320, height: 180, frameRate: 30, bitrate: 300_000, keyframeInterval: 60)
        ).streamParameters
        let audio = AudioStreamParameters(
            sampleRate: 48_000, channels: 2, bitrate: 64_000, audioSpecificConfig: [0x11, 0x90])
        #expect(throws: CodecError.partMissing("protocol of this address")) {
            try OutputConnection(
                to: "nosuch://host/", options: [], container: .flv, video: video, audio: audio,
                interrupt: OutputInterrupt())
        }
    }
}
