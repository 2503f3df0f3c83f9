public import MediaKernel
public import PeerConnection
public import RTP
public import SDP

/// A track that we publish: its description for the room, and its media description.
public struct LocalTrack: Sendable {
    public var id: TrackID
    public var isVideo: Bool
    public var source: TrackSource
    public var isMuted = false
    public var media: OutgoingTrack

    /// A microphone, a camera or a shared screen in a codec that Roomcast offers.
    ///
    /// - Parameters:
    ///   - rids: the names of a video's layers, best first; empty without simulcast.
    ///   - numbers: the payload types of the connection.
    public init(
        _ codec: MediaCodec, source: TrackSource = .regular, streamID: String, trackID: String,
        rids: [String] = [],
        numbers: inout PayloadTypeAllocator
    ) {
        let kind: MediaSection.Kind = codec.isVideo ? .video : .audio
        let capabilities = Defaults.roomcast.filter {
            $0.name.lowercased() == codec.rtpName.lowercased()
        }
        let codecs = numbers.descriptions(
            offering: Array(capabilities.prefix(1)), kind: kind
        ).prefix(1)
        let headerExtension =
            codec.isVideo ? HeaderExtensionURI.videoOrientation : HeaderExtensionURI.audioLevel
        id = TrackID(trackID)
        isVideo = codec.isVideo
        self.source = source
        media = OutgoingTrack(
            streamID: streamID, trackID: trackID, kind: kind, codecs: Array(codecs),
            headerExtensions: [headerExtension], isRepaired: true,
            rids: codec.isVideo ? rids : [])
    }
}
