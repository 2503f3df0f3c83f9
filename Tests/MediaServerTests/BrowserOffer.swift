/// Browsers' publish offers, with most of their codecs left out, documentation addresses and
/// invented ids.
enum BrowserOffer: CaseIterable {
    /// Audio, a video in three layers identified by name, and a data channel.
    case chromium
    /// As in older Chromium versions: the layers are identified by their SSRCs.
    case chromiumOfOld
    /// The transport is described before the sections, and candidates are in the description.
    case firefox

    static let sound = "track-audio"
    static let video = "track-video"

    var text: String {
        let lines =
            switch self {
            case .chromium: Self.head + Self.chromiumSections(layers: Self.namedLayers)
            case .chromiumOfOld: Self.head + Self.chromiumSections(layers: Self.numberedLayers)
            case .firefox: Self.firefoxOffer
            }
        return lines.split(separator: "\n").map { $0 + "\r\n" }.joined()
    }

    private static let fingerprint = Array(repeating: "0A", count: 32).joined(separator: ":")

    private static let head = """
        v=0
        o=- 4611731400430051336 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1 2
        a=extmap-allow-mixed
        a=msid-semantic: WMS stream-a

        """

    private static let transport = """
        c=IN IP4 0.0.0.0
        a=ice-ufrag:k7Qd
        a=ice-pwd:sYt0iZyG2bqWmX1cVv8nR3pL
        a=ice-options:trickle
        a=fingerprint:sha-256 \(fingerprint)
        a=setup:actpass
        """

    private static let namedLayers = """
        a=rid:f send
        a=rid:h send
        a=rid:q send
        a=simulcast:send f;h;q
        """

    private static let numberedLayers = """
        a=ssrc-group:SIM 11 12 13
        a=ssrc-group:FID 11 21
        a=ssrc-group:FID 12 22
        a=ssrc-group:FID 13 23
        a=ssrc:11 cname:9pLmQxWz4RtYvBnK
        a=ssrc:12 cname:9pLmQxWz4RtYvBnK
        a=ssrc:13 cname:9pLmQxWz4RtYvBnK
        a=ssrc:21 cname:9pLmQxWz4RtYvBnK
        a=ssrc:22 cname:9pLmQxWz4RtYvBnK
        a=ssrc:23 cname:9pLmQxWz4RtYvBnK
        """

    private static func chromiumSections(layers: String) -> String {
        """
        m=audio 9 UDP/TLS/RTP/SAVPF 111 63
        \(transport)
        a=mid:0
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=sendrecv
        a=msid:stream-a \(sound)
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:111 opus/48000/2
        a=rtcp-fb:111 transport-cc
        a=fmtp:111 minptime=10;useinbandfec=1
        a=rtpmap:63 red/48000/2
        a=fmtp:63 111/111
        a=ssrc:1766271539 cname:9pLmQxWz4RtYvBnK
        a=ssrc:1766271539 msid:stream-a \(sound)
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 109 114
        \(transport)
        a=mid:1
        a=extmap:13 urn:3gpp:video-orientation
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
        a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
        a=sendonly
        a=msid:stream-a \(video)
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 transport-cc
        a=rtcp-fb:96 ccm fir
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:98 VP9/90000
        a=rtcp-fb:98 transport-cc
        a=rtcp-fb:98 nack
        a=fmtp:98 profile-id=0
        a=rtpmap:99 rtx/90000
        a=fmtp:99 apt=98
        a=rtpmap:109 H264/90000
        a=rtcp-fb:109 nack
        a=fmtp:109 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
        a=rtpmap:114 rtx/90000
        a=fmtp:114 apt=109
        \(layers)
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        \(transport)
        a=mid:2
        a=sctp-port:5000
        a=max-message-size:262144
        """
    }

    private static let firefoxOffer = """
        v=0
        o=mozilla...THIS_IS_SDPARTA-99.0 6834519201877652345 0 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=sendrecv
        a=fingerprint:sha-256 \(fingerprint)
        a=group:BUNDLE 0 1 2
        a=ice-options:trickle
        a=msid-semantic:WMS *
        m=audio 40310 UDP/TLS/RTP/SAVPF 109 101
        c=IN IP4 192.0.2.2
        a=candidate:0 1 UDP 2122252543 192.0.2.2 40310 typ host
        a=candidate:2 1 TCP 2105524479 192.0.2.2 9 typ host tcptype active
        a=sendrecv
        a=end-of-candidates
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level
        a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
        a=fmtp:109 maxplaybackrate=48000;stereo=1;useinbandfec=1
        a=fmtp:101 0-15
        a=ice-pwd:0123456789abcdef0123456789abcdef
        a=ice-ufrag:d41d8cd9
        a=mid:0
        a=msid:{9f1f4c2e-5d1b-4a37-8e36-0a1b2c3d4e5f} \(sound)
        a=rtcp-mux
        a=rtpmap:109 opus/48000/2
        a=rtpmap:101 telephone-event/8000/1
        a=setup:actpass
        a=ssrc:2655508255 cname:{5f6e7d8c-1234-4321-9876-554433221100}
        m=video 0 UDP/TLS/RTP/SAVPF 120 124 126 127
        c=IN IP4 0.0.0.0
        a=bundle-only
        a=sendrecv
        a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:7 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=fmtp:126 profile-level-id=42e01f;level-asymmetry-allowed=1;packetization-mode=1
        a=fmtp:120 max-fs=12288;max-fr=60
        a=fmtp:124 apt=120
        a=fmtp:127 apt=126
        a=ice-pwd:0123456789abcdef0123456789abcdef
        a=ice-ufrag:d41d8cd9
        a=mid:1
        a=msid:{9f1f4c2e-5d1b-4a37-8e36-0a1b2c3d4e5f} \(video)
        a=rtcp-fb:* nack
        a=rtcp-fb:120 nack pli
        a=rtcp-fb:120 ccm fir
        a=rtcp-fb:120 transport-cc
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:120 VP8/90000
        a=rtpmap:124 rtx/90000
        a=rtpmap:126 H264/90000
        a=rtpmap:127 rtx/90000
        a=setup:actpass
        a=ssrc:3735928559 cname:{5f6e7d8c-1234-4321-9876-554433221100}
        a=ssrc:3405691582 cname:{5f6e7d8c-1234-4321-9876-554433221100}
        a=ssrc-group:FID 3735928559 3405691582
        m=application 0 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=bundle-only
        a=sendrecv
        a=ice-pwd:0123456789abcdef0123456789abcdef
        a=ice-ufrag:d41d8cd9
        a=mid:2
        a=setup:actpass
        a=sctp-port:5000
        a=max-message-size:1073741823
        """
}
