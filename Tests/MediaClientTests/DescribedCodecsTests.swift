import MediaKernel
import RTP
import SDP
import Testing

@testable import MediaClient

/// A server that agrees to several codecs sends any of them.
@Suite struct DescribedCodecsTests {
    @Test func payloadTypesMeanTheCodecsOfTheirSection() throws {
        let description = try SessionDescription.parse(
            """
            v=0
            o=- 1 1 IN IP4 127.0.0.1
            s=-
            t=0 0
            m=audio 9 UDP/TLS/RTP/SAVPF 111 13
            a=mid:0
            a=rtpmap:111 opus/48000/2
            a=rtpmap:13 CN/8000
            m=video 9 UDP/TLS/RTP/SAVPF 96 97 102
            a=mid:1
            a=rtpmap:96 VP8/90000
            a=rtpmap:97 rtx/90000
            a=fmtp:97 apt=96
            a=rtpmap:102 H264/90000

            """)
        let codecs = DescribedCodecs(description)
        func name(_ payloadType: UInt8, _ mid: String) -> String? {
            codecs.codec(of: PayloadType(payloadType), in: mid)?.name
        }
        #expect(name(111, "0") == "opus" && name(13, "0") == nil)
        #expect(name(96, "1") == "VP8" && name(102, "1") == "H264" && name(97, "1") == nil)
        #expect(name(96, "0") == nil && name(96, "2") == nil)
    }
}
