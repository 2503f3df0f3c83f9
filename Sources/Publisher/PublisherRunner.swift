import Foundation
public import Logging
import MediaKernel
public import NIOCore
import PeerConnection
import RTP
import RoomClient
import Rooms
import SDP
import Signalling

/// A participant that shows a media file: for demonstrations, load and tests.
public struct PublisherRunner: Sendable {
    public struct Options: Sendable {
        public var endpoint: String
        public var token: String
        public var name: String
        public var path: String

        public init(endpoint: String, token: String, name: String, path: String) {
            self.endpoint = endpoint
            self.token = token
            self.name = name
            self.path = path
        }
    }

    private let options: Options
    private let logger: Logger

    public init(options: Options, logger: Logger) {
        self.options = options
        self.logger = logger
    }

    /// Publishes until `stop` says something or the room ends.
    ///
    /// - Parameter published: called when the room has taken the tracks.
    /// - Throws: `PublisherError`, `RoomClientError`, or what the file's reader found.
    public func run(
        group: any EventLoopGroup, stop: AsyncStream<String>,
        published: @escaping @Sendable () -> Void = {}
    ) async throws {
        let file = try MediaFile(path: options.path)
        let stream = UUID().uuidString.lowercased()
        let (videoID, audioID) = (
            UUID().uuidString.lowercased(), UUID().uuidString.lowercased()
        )
        let tracks = Self.tracks(
            of: file, stream: stream, videoID: videoID, audioID: audioID)
        let logger = logger
        // Handed to the media loop, which calls the closure once; nobody touches it here again.
        nonisolated(unsafe) let opened = file
        let client = RoomClient(
            configuration: RoomClient.Configuration(
                endpoint: options.endpoint, token: options.token,
                peer: PeerID(UUID().uuidString.lowercased()), name: options.name),
            group: group, logger: logger
        ) {
            FilePublisher(file: opened, videoID: videoID, audioID: audioID, logger: logger)
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await client.run() }
            tasks.addTask {
                for await event in client.events {
                    switch event {
                    case .joined: try await client.publish(tracks)
                    case .signalling(.answered): published()
                    case .signalling: break
                    }
                }
            }
            tasks.addTask {
                for await _ in stop { break }
                await client.leave()
            }
            // The client's end, by leaving or by an error, ends all.
            try await tasks.next()
            try await tasks.next()
            tasks.cancelAll()
        }
    }

    private static func tracks(
        of file: MediaFile, stream: String, videoID: String, audioID: String
    ) -> [RoomClient.PublishedMedia] {
        var tracks: [RoomClient.PublishedMedia] = []
        var allocator = PayloadTypeAllocator()
        func add(_ codec: MediaCodec, _ id: String) {
            let kind: MediaSection.Kind = codec.isVideo ? .video : .audio
            let capabilities = Defaults.roomcast.filter {
                $0.name.lowercased() == codec.rtpName.lowercased()
            }
            let offered = allocator.descriptions(
                offering: Array(capabilities.prefix(1)), kind: kind
            ).prefix(1)
            tracks.append(
                RoomClient.PublishedMedia(
                    track: OutgoingTrack(
                        streamID: stream, trackID: id, kind: kind, codecs: Array(offered),
                        headerExtensions: []),
                    payload: TrackPayload(
                        trackID: TrackID(id), streamID: stream,
                        type: codec.isVideo ? .video : .audio)))
        }
        if file.hasAudio { add(.opus, audioID) }
        if let codec = file.videoCodec { add(codec, videoID) }
        return tracks
    }
}
