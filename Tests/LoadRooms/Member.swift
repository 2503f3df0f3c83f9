import Foundation
import RTP
import RemoteRoom
import SDP

/// One peer before it joins: its place in the load, its tracks and their sources.
struct Member: Sendable {
    let index: Int
    let tracks: [LocalTrack]
    let sources: [Source]

    init(index: Int, of load: Load) {
        self.index = index
        let stream = UUID().uuidString.lowercased()
        let (audio, video) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        var numbers = PayloadTypeAllocator()
        var tracks = [
            LocalTrack(
                .opus, streamID: stream, trackID: audio, numbers: &numbers)
        ]
        let id = UInt32(index) * 8
        var sources = [Source(sound: audio, id: id, isSpeech: load.speaks(index))]
        if load.hasCamera(index) {
            tracks.append(
                LocalTrack(
                    .vp8, streamID: stream, trackID: video, rids: Load.layers.map(\.rid),
                    numbers: &numbers))
            for (encoding, layer) in Load.layers.enumerated() {
                sources.append(
                    Source(
                        video: video, id: id + 1 + UInt32(encoding), layer: layer,
                        encoding: encoding))
            }
        }
        self.tracks = tracks
        self.sources = sources
    }
}
