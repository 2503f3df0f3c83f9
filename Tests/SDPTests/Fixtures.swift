/// Descriptions in browsers' format, with documentation addresses and invented ids.
enum Fixtures {
    private static func text(_ lines: String) -> String {
        lines.split(separator: "\n").map { $0 + "\r\n" }.joined()
    }

    /// Chromium: audio, simulcast video and a data channel, candidates not yet gathered.
    static let chromiumOffer = text(
        """
        v=0
        o=- 4611731400430051336 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1 2
        a=extmap-allow-mixed
        a=msid-semantic: WMS stream-a
        m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        a=ice-ufrag:k7Qd
        a=ice-pwd:sYt0iZyG2bqWmX1cVv8nR3pL
        a=ice-options:trickle
        a=fingerprint:sha-256 0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9:0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9
        a=setup:actpass
        a=mid:0
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=sendrecv
        a=msid:stream-a track-audio
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:111 opus/48000/2
        a=rtcp-fb:111 transport-cc
        a=fmtp:111 minptime=10;useinbandfec=1
        a=rtpmap:63 red/48000/2
        a=fmtp:63 111/111
        a=rtpmap:9 G722/8000
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=rtpmap:13 CN/8000
        a=rtpmap:110 telephone-event/48000
        a=rtpmap:126 telephone-event/8000
        a=ssrc:1766271539 cname:9pLmQxWz4RtYvBnK
        a=ssrc:1766271539 msid:stream-a track-audio
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101 35 36 103 104 107 108 109 114 115 116 117 118 45 46 119 120 121
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        a=ice-ufrag:k7Qd
        a=ice-pwd:sYt0iZyG2bqWmX1cVv8nR3pL
        a=ice-options:trickle
        a=fingerprint:sha-256 0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9:0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9
        a=setup:actpass
        a=mid:1
        a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:13 urn:3gpp:video-orientation
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
        a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/video-content-type
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
        a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
        a=sendonly
        a=msid:stream-a track-video
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 goog-remb
        a=rtcp-fb:96 transport-cc
        a=rtcp-fb:96 ccm fir
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:98 VP9/90000
        a=rtcp-fb:98 goog-remb
        a=rtcp-fb:98 transport-cc
        a=rtcp-fb:98 ccm fir
        a=rtcp-fb:98 nack
        a=rtcp-fb:98 nack pli
        a=fmtp:98 profile-id=0
        a=rtpmap:99 rtx/90000
        a=fmtp:99 apt=98
        a=rtpmap:100 VP9/90000
        a=rtcp-fb:100 goog-remb
        a=rtcp-fb:100 nack
        a=fmtp:100 profile-id=2
        a=rtpmap:101 rtx/90000
        a=fmtp:101 apt=100
        a=rtpmap:35 VP9/90000
        a=fmtp:35 profile-id=1
        a=rtpmap:36 rtx/90000
        a=fmtp:36 apt=35
        a=rtpmap:103 H264/90000
        a=rtcp-fb:103 nack
        a=rtcp-fb:103 nack pli
        a=fmtp:103 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
        a=rtpmap:104 rtx/90000
        a=fmtp:104 apt=103
        a=rtpmap:107 H264/90000
        a=rtcp-fb:107 nack
        a=fmtp:107 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42001f
        a=rtpmap:108 rtx/90000
        a=fmtp:108 apt=107
        a=rtpmap:109 H264/90000
        a=rtcp-fb:109 nack
        a=fmtp:109 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
        a=rtpmap:114 rtx/90000
        a=fmtp:114 apt=109
        a=rtpmap:115 H264/90000
        a=fmtp:115 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f
        a=rtpmap:116 rtx/90000
        a=fmtp:116 apt=115
        a=rtpmap:117 H264/90000
        a=fmtp:117 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=4d001f
        a=rtpmap:118 rtx/90000
        a=fmtp:118 apt=117
        a=rtpmap:45 AV1/90000
        a=rtcp-fb:45 goog-remb
        a=rtcp-fb:45 transport-cc
        a=rtcp-fb:45 ccm fir
        a=rtcp-fb:45 nack
        a=rtcp-fb:45 nack pli
        a=fmtp:45 level-idx=5;profile=0;tier=0
        a=rtpmap:46 rtx/90000
        a=fmtp:46 apt=45
        a=rtpmap:119 red/90000
        a=rtpmap:120 rtx/90000
        a=fmtp:120 apt=119
        a=rtpmap:121 ulpfec/90000
        a=rid:f send
        a=rid:h send
        a=rid:q send
        a=simulcast:send f;h;q
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=ice-ufrag:k7Qd
        a=ice-pwd:sYt0iZyG2bqWmX1cVv8nR3pL
        a=ice-options:trickle
        a=fingerprint:sha-256 0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9:0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9
        a=setup:actpass
        a=mid:2
        a=sctp-port:5000
        a=max-message-size:262144
        """)

    /// Firefox: fingerprint, ICE options and direction stated once above the sections; candidates
    /// in the description; a bundle-only section; wildcard feedback.
    static let firefoxOffer = text(
        """
        v=0
        o=mozilla...THIS_IS_SDPARTA-99.0 6834519201877652345 0 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=sendrecv
        a=fingerprint:sha-256 f9:e8:d7:c6:b5:a4:93:82:71:60:5f:4e:3d:2c:1b:0a:f9:e8:d7:c6:b5:a4:93:82:71:60:5f:4e:3d:2c:1b:0a
        a=group:BUNDLE 0 1 2
        a=ice-options:trickle
        a=msid-semantic:WMS *
        m=audio 40310 UDP/TLS/RTP/SAVPF 109 9 0 8 101
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
        a=msid:{9f1f4c2e-5d1b-4a37-8e36-0a1b2c3d4e5f} {1b4df2a0-6c5e-4f7d-9a8b-aabbccddeeff}
        a=rtcp:40311 IN IP4 192.0.2.2
        a=rtcp-mux
        a=rtpmap:109 opus/48000/2
        a=rtpmap:9 G722/8000/1
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=rtpmap:101 telephone-event/8000/1
        a=setup:actpass
        a=ssrc:2655508255 cname:{5f6e7d8c-1234-4321-9876-554433221100}
        m=video 0 UDP/TLS/RTP/SAVPF 120 124 121 125 126 127 97 98
        c=IN IP4 0.0.0.0
        a=bundle-only
        a=sendrecv
        a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:4 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:5 urn:ietf:params:rtp-hdrext:toffset
        a=extmap:7 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=fmtp:126 profile-level-id=42e01f;level-asymmetry-allowed=1;packetization-mode=1
        a=fmtp:97 profile-level-id=42e01f;level-asymmetry-allowed=1
        a=fmtp:120 max-fs=12288;max-fr=60
        a=fmtp:124 apt=120
        a=fmtp:121 max-fs=12288;max-fr=60
        a=fmtp:125 apt=121
        a=fmtp:127 apt=126
        a=fmtp:98 apt=97
        a=ice-pwd:0123456789abcdef0123456789abcdef
        a=ice-ufrag:d41d8cd9
        a=mid:1
        a=msid:{9f1f4c2e-5d1b-4a37-8e36-0a1b2c3d4e5f} {2c5ef3b1-7d6f-4a8e-8b9c-bbccddeeff00}
        a=rtcp-fb:* nack
        a=rtcp-fb:120 nack pli
        a=rtcp-fb:120 ccm fir
        a=rtcp-fb:120 goog-remb
        a=rtcp-fb:120 transport-cc
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:120 VP8/90000
        a=rtpmap:124 rtx/90000
        a=rtpmap:121 VP9/90000
        a=rtpmap:125 rtx/90000
        a=rtpmap:126 H264/90000
        a=rtpmap:127 rtx/90000
        a=rtpmap:97 H264/90000
        a=rtpmap:98 rtx/90000
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
        """)

    /// Chromium answers a server's offer that has a track, a section whose track is gone, and the
    /// data channel.
    static let chromiumAnswer = text(
        """
        v=0
        o=- 2890844526 3 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 2
        a=extmap-allow-mixed
        a=msid-semantic: WMS
        m=video 9 UDP/TLS/RTP/SAVPF 96 97
        c=IN IP4 0.0.0.0
        b=AS:2000
        a=rtcp:9 IN IP4 0.0.0.0
        a=ice-ufrag:Ab+/
        a=ice-pwd:abcdefghijklmnopqrstuvwx
        a=ice-options:trickle renomination
        a=fingerprint:sha-256 0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9:0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9
        a=setup:active
        a=mid:0
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=recvonly
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        m=audio 0 UDP/TLS/RTP/SAVPF 0
        c=IN IP4 0.0.0.0
        a=inactive
        a=mid:1
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=ice-ufrag:Ab+/
        a=ice-pwd:abcdefghijklmnopqrstuvwx
        a=fingerprint:sha-256 0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9:0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9
        a=setup:active
        a=mid:2
        a=sctp-port:5000
        a=max-message-size:262144
        """)

    /// Firefox answers a publisher's server side: receives nothing, sends simulcast by rid.
    static let firefoxAnswer = text(
        """
        v=0
        o=mozilla...THIS_IS_SDPARTA-128.0 1234567890123456789 1 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=fingerprint:sha-256 F9:E8:D7:C6:B5:A4:93:82:71:60:5F:4E:3D:2C:1B:0A:F9:E8:D7:C6:B5:A4:93:82:71:60:5F:4E:3D:2C:1B:0A
        a=group:BUNDLE 0
        a=ice-options:trickle
        a=msid-semantic:WMS *
        m=video 9 UDP/TLS/RTP/SAVPF 120
        c=IN IP4 0.0.0.0
        a=sendonly
        a=fmtp:120 max-fs=12288;max-fr=60
        a=ice-pwd:fedcba9876543210fedcba9876543210
        a=ice-ufrag:0badcafe
        a=mid:0
        a=rid:hi send pt=120;max-width=1280;max-height=720
        a=rid:lo send
        a=rtcp-mux
        a=rtpmap:120 VP8/90000
        a=setup:active
        a=simulcast:send hi;~lo
        """)

    static let all = [chromiumOffer, firefoxOffer, chromiumAnswer, firefoxAnswer]
}
