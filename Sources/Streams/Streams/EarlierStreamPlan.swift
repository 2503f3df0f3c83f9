import HLS
import MediaKernel
import Rooms
import Stage

/// The plan in records that predate plans. Their ladders are unknown.
public struct EarlierStreamPlan: Decodable {
    public let plan: StreamPlan

    private enum OtherKeys: String, CodingKey { case playlistType = "playlist_type" }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: StreamPlan.CodingKeys.self)
        let other = try decoder.container(keyedBy: OtherKeys.self)
        let type = try other.decodeIfPresent(HLSVariant.PlaylistType.self, forKey: .playlistType)
        plan = StreamPlan(
            variant: LiveStreamVariant(
                meetingURL: try container.decode(String.self, forKey: .meetingURL),
                metadata: try container.decode(String.self, forKey: .metadata)),
            recording: try container.decodeIfPresent(LiveStreamRecording.self, forKey: .recording),
            destination: try container.decode(String.self, forKey: .destination),
            audio: try container.decode(LiveStreamAudio.self, forKey: .audio),
            playlist: type == .noDVR ? .live(window: 1) : .event,
            layout: try container.layout(.layout))
    }
}
