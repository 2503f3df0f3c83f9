import Foundation
import MediaKernel
import NIOCore
import RTP
import RoomClient
import SDP

/// What one peer is before it joins: its place in the load, its tracks, and when what came to pass.
struct Member: Sendable {
    let index: Int
    let tracks: [RoomClient.PublishedMedia]
    let sources: [Source]

    init(index: Int, of load: Load) {
        self.index = index
        let stream = UUID().uuidString.lowercased()
        let (audio, video) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        var numbers = PayloadTypeAllocator()
        var tracks = [
            RoomClient.PublishedMedia(
                .opus, streamID: stream, trackID: audio, numbers: &numbers)
        ]
        let id = UInt32(index) * 8
        var sources = [Source(sound: audio, id: id, isSpeech: load.speaks(index))]
        if load.hasCamera(index) {
            tracks.append(
                RoomClient.PublishedMedia(
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

/// A peer in a room of whichever server, for as long as it stays.
protocol Attendance: Sendable {
    /// Joins, publishes, and receives everybody.
    ///
    /// - Parameters:
    ///   - makeObserver: runs on the media loop.
    ///   - joined: called when the server has taken the peer and what it publishes.
    /// - Throws: when the server refuses or is lost; returns only when cancelled.
    func attend(
        _ member: Member, makeObserver: @escaping @Sendable () -> any ClientMediaObserver,
        joined: @escaping @Sendable () -> Void
    ) async throws
}
