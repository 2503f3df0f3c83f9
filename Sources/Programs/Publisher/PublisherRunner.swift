public import Logging
import MediaKernel
public import NIOCore
import PeerConnection
import RTP
public import RemoteRoom
import SDP

/// A participant that plays a media file: for demonstrations, load and tests.
public struct PublisherRunner: Sendable {
    public struct Options: Sendable {
        public var name: String
        public var metadata: String
        public var path: String
        /// Files of the same video in smaller sizes, best first: the layers of its simulcast.
        public var layers: [String]
        /// A file whose video is shared as a screen; nil for none.
        public var screen: String?
        public var conditions: PublisherConditions

        public init(
            name: String, metadata: String = "", path: String, layers: [String] = [],
            screen: String? = nil, conditions: PublisherConditions = PublisherConditions()
        ) {
            self.name = name
            self.metadata = metadata
            self.path = path
            self.layers = layers
            self.screen = screen
            self.conditions = conditions
        }
    }

    private let options: Options
    private let logger: Logger

    public init(options: Options, logger: Logger) {
        self.options = options
        self.logger = logger
    }

    /// Publishes in a room until `stop` yields a reason or the room ends.
    ///
    /// - Parameter published: called when the room has accepted the tracks.
    /// - Throws: `PublisherError`, `RoomEnd`, or errors of the file's reader.
    public func run<Address: RoomAddress>(
        in address: Address, group: any EventLoopGroup, stop: AsyncStream<String>,
        published: @escaping @Sendable () -> Void = {}
    ) async throws where Address.Room: PublishingRoom {
        let conditions = options.conditions
        let file = try MediaFile(path: options.path)
        let layers = try VideoLayers.open(options.layers, of: file)
        let screen = try options.screen.map { try Self.screen($0) }
        let contents = Contents(
            videoCodec: file.videoCodec, hasAudio: file.hasAudio, screenCodec: screen?.videoCodec,
            rids: VideoLayers(count: layers.count + 1).rids)
        let laterFiles = try later(conditions.script, like: contents)
        let names = TrackNames()
        let (orders, orderSink) = AsyncStream.makeStream(of: FilePublisher.Order.self)
        let requests = MuteRequests()
        let meter = try AudioMeter()
        let logger = logger
        // Passed to the media loop, which calls the closure once; not used here again.
        nonisolated(unsafe) let parts = (
            file: file, layers: layers, screen: screen, laterFiles: laterFiles, meter: meter
        )
        let room = address.room(
            for: RoomGuest(
                name: options.name, metadata: options.metadata, network: conditions.network),
            on: group, logger: logger
        ) {
            FilePublisher(
                file: parts.file, layers: parts.layers, screen: parts.screen,
                laterFiles: parts.laterFiles, names: names, conditions: conditions,
                orders: orderSink, requests: requests, meter: parts.meter, logger: logger)
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await room.run()
                orderSink.finish()
            }
            tasks.addTask {
                for await event in room.events {
                    switch event {
                    case .joined: try await room.publish(contents.tracks(names))
                    case .published: published()
                    case .muteRequested(let request): requests.note(request)
                    case .roster, .path, .layers, .activeSpeakers, .message: break
                    }
                }
            }
            tasks.addTask {
                for await order in orders { try await Self.carryOut(order, contents, room) }
            }
            tasks.addTask {
                for await _ in stop { break }
                await room.leave()
            }
            // The room's end, by leaving or by an error, ends all tasks.
            try await tasks.next()
            try await tasks.next()
            tasks.cancelAll()
        }
    }

    private static func screen(_ path: String) throws -> MediaFile {
        let file = try MediaFile(path: path)
        guard file.videoCodec != nil else { throw PublisherError.noScreen(path: path) }
        return file
    }

    /// The script's later files, which must have the same codecs.
    private func later(_ script: Script, like contents: Contents) throws -> [String: MediaFile] {
        var files: [String: MediaFile] = [:]
        for path in script.paths where files[path] == nil {
            let file = try MediaFile(path: path)
            guard (file.videoCodec, file.hasAudio) == (contents.videoCodec, contents.hasAudio)
            else { throw PublisherError.differentCodecs(path: path) }
            guard contents.rids.isEmpty else {
                throw PublisherError.playsWithoutLayers(path: path)
            }
            files[path] = file
        }
        return files
    }

    private static func carryOut(
        _ order: FilePublisher.Order, _ contents: Contents, _ room: some PublishingRoom
    ) async throws {
        switch order {
        case .publish(let names): try await room.publish(contents.tracks(names))
        case .unpublish: try await room.publish([])
        case .mute(let isMuted, let trackID):
            try await room.setMuted(isMuted, track: TrackID(trackID))
        case .interrupt(let duration): try await room.interrupt(for: duration)
        }
    }
}

/// A publisher's tracks, as announced to the room.
private struct Contents: Hashable, Sendable {
    let videoCodec: MediaCodec?
    let hasAudio: Bool
    let screenCodec: MediaCodec?
    /// The names of the video's layers; empty without simulcast.
    let rids: [String]

    func tracks(_ names: TrackNames) -> [LocalTrack] {
        var tracks: [LocalTrack] = []
        var allocator = PayloadTypeAllocator()
        if hasAudio {
            tracks.append(
                LocalTrack(
                    .opus, streamID: names.stream, trackID: names.audio, numbers: &allocator))
        }
        if let videoCodec {
            tracks.append(
                LocalTrack(
                    videoCodec, streamID: names.stream, trackID: names.video, rids: rids,
                    numbers: &allocator))
        }
        if let screenCodec {
            tracks.append(
                LocalTrack(
                    screenCodec, source: .presentation, streamID: names.screenStream,
                    trackID: names.screen, numbers: &allocator))
        }
        return tracks
    }
}
