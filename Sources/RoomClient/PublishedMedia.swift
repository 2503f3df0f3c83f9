import MediaKernel
public import PeerConnection
public import RTP
import Rooms
public import SDP
public import Signalling

extension RoomClient {
    /// One thing we send: its media description and its description in the room.
    public struct PublishedMedia: Sendable {
        public var track: OutgoingTrack
        public var payload: TrackPayload

        public init(track: OutgoingTrack, payload: TrackPayload) {
            self.track = track
            self.payload = payload
        }

        /// A microphone or a camera in a codec that Roomcast offers.
        ///
        /// - Parameters:
        ///   - rids: the names of a video's layers, best first; empty for one form.
        ///   - numbers: the payload types of the connection.
        public init(
            _ codec: MediaCodec, streamID: String, trackID: String, rids: [String] = [],
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
            track = OutgoingTrack(
                streamID: streamID, trackID: trackID, kind: kind, codecs: Array(codecs),
                headerExtensions: [headerExtension], isRepaired: true,
                rids: codec.isVideo ? rids : [])
            payload = TrackPayload(
                trackID: TrackID(trackID), streamID: streamID,
                type: codec.isVideo ? .video : .audio)
        }
    }
}
