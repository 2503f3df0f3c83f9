/// The URIs by which SDP's `extmap` names the header extensions that Roomcast uses.
public enum HeaderExtensionURI {
    /// The media section a packet belongs to. RFC 8843 sect. 15.
    public static let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
    /// The simulcast layer a packet belongs to. RFC 8852.
    public static let rid = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
    /// The simulcast layer that an RTX packet repairs. RFC 8852.
    public static let repairedRid = "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
    /// One sequence number across all streams of a transport; see `TransportSequence`.
    public static let transportSequence =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    /// Loudness of an audio packet; see `AudioLevel`. RFC 6464.
    public static let audioLevel = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    /// Which way up a picture is; see `VideoOrientation`. 3GPP TS 26.114.
    public static let videoOrientation = "urn:3gpp:video-orientation"
}
