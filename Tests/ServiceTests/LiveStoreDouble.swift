import Foundation
import HLS
import Logging
import MediaKernel
import ObjectStorage
import Recording
import Streams
import Synchronization

@testable import Service

/// A store in memory for live streams. It records every playlist that names a missing object.
final class LiveStoreDouble: LiveStoreClient {
    struct Object: Hashable {
        var bytes: [UInt8]
        var cacheControl: String
    }

    private struct State {
        var objects: [String: Object] = [:]
        var log: [String] = []
        var errors: [String] = []
        var fails: @Sendable (String) -> Bool = { _ in false }
    }

    private let state = Mutex(State())

    func fail(_ rule: @escaping @Sendable (String) -> Bool) { state.withLock { $0.fails = rule } }

    /// By their keys.
    var objects: [String: Object] { state.withLock { $0.objects } }
    /// The operations, e.g. `put p/live/…`.
    var log: [String] { state.withLock { $0.log } }
    var errors: [String] { state.withLock { $0.errors } }
    func forget() { state.withLock { $0.log = [] } }

    private func ask(
        _ verb: String, _ location: ObjectLocation, _ body: (inout State) -> Void
    ) throws(StoreFailure) {
        let fails = state.withLock { state in
            if state.fails(location.key) { return true }
            state.log.append("\(verb) \(location.key)")
            body(&state)
            return false
        }
        if fails { throw StoreFailure(status: 503, reason: "503 SlowDown") }
    }

    func put(_ file: UploadFile, cacheControl: String) async throws(StoreFailure) {
        guard let data = FileManager.default.contents(atPath: file.path),
            data.count == Int(file.byteCount)
        else { throw StoreFailure(reason: "unreadable") }
        try ask("put", file.location) {
            $0.objects[file.location.key] = Object(bytes: Array(data), cacheControl: cacheControl)
        }
    }

    func put(
        _ text: [UInt8], at location: ObjectLocation, cacheControl: String
    ) async throws(StoreFailure) {
        let folder = location.key.split(separator: "/").dropLast().joined(separator: "/")
        try ask("put", location) { state in
            for line in String(decoding: text, as: UTF8.self).split(separator: "\n")
            where !line.hasPrefix("#") && state.objects["\(folder)/\(line)"] == nil {
                state.errors.append("\(location.key) names \(line)")
            }
            state.objects[location.key] = Object(bytes: text, cacheControl: cacheControl)
        }
    }

    func delete(_ location: ObjectLocation) async throws(StoreFailure) {
        try ask("delete", location) { $0.objects[location.key] = nil }
    }
}

/// The streams as defined by a test.
final class CopySourceDouble: LiveCopySource {
    private let state = Mutex(
        (subjects: [LiveCopySubject](), told: [StreamID: LiveStream.Upload]()))

    func streamsToCopy() -> [LiveCopySubject] { state.withLock { $0.subjects } }
    func set(_ subjects: [LiveCopySubject]) { state.withLock { $0.subjects = subjects } }
    func copied(_ id: StreamID, _ upload: LiveStream.Upload?) {
        state.withLock { $0.told[id] = upload }
    }
    func told(_ id: StreamID) -> LiveStream.Upload? { state.withLock { $0.told[id] } }
}

/// The bots' files of one live stream, and their copying, on a clock that the test moves.
final class LiveUploadsWorld: Sendable {
    static let start = UnixTime(seconds: 1_760_000_000)
    static let stream: StreamID = "01a1fb8e8538000000000001"
    static let prefix = "p/live/room/01a1fb8e8538000000000001"

    let root = FileManager.default.temporaryDirectory
        .appendingPathComponent("roomcast-live-uploads-\(UUID().uuidString)").path
    let store = LiveStoreDouble()
    let source = CopySourceDouble()
    let time = Mutex(LiveUploadsWorld.start)
    private let builders = Mutex<[MediaPlaylistBuilder]>([])

    init(layers: Int = 2, mode: PlaylistMode = .event) throws {
        builders.withLock {
            $0 = Array(
                repeating: MediaPlaylistBuilder(mode: mode, targetDuration: 2), count: layers)
        }
        for index in 0..<layers {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(StreamFolder.layerName(index))",
                withIntermediateDirectories: true)
        }
        source.set([
            LiveCopySubject(
                stream: Self.stream, room: "room", directory: "room/\(Self.stream)",
                isOnAir: true)
        ])
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    var directory: String { "\(root)/streams/room/\(Self.stream)" }
    func layer(_ index: Int) -> String { "\(directory)/\(StreamFolder.layerName(index))" }

    func uploads(copiesLive: Bool = true, keptFor: Duration? = .seconds(86_400)) -> LiveUploads {
        var settings = StoreSettings(
            store: ObjectStore(
                isTLS: true, authority: "store", region: "r", addressing: .path, bucket: "b",
                prefix: "p"),
            credentials: .fixed(AWSCredentials(accessKeyID: "a", secretAccessKey: "s")))
        settings.copiesLive = copiesLive
        return LiveUploads(
            settings: settings, root: "\(root)/recordings", streams: "\(root)/streams",
            keptFor: keptFor, source: source, client: store,
            logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }, seed: 1,
            clock: { self.time.withLock { $0 } })
    }

    /// Publishes a segment of every layer, like a bot.
    func cut(_ count: Int = 1) throws {
        for _ in 0..<count {
            for index in builders.withLock({ $0.indices }) {
                let (name, text) = try builders.withLock { builders in
                    let number = builders[index].nextMediaSequence
                    let name = SegmentRecord.fileName(number: number)
                    try builders[index].add(
                        Segment(uri: name, duration: MediaTime(ticks: 2, timescale: 1)))
                    return (name, builders[index].rendered())
                }
                try write("\(index) \(name)", to: "\(layer(index))/\(name)")
                try write(text, to: "\(layer(index))/\(StreamFolder.playlistName)")
            }
        }
    }

    func writeMaster() throws {
        let names = builders.withLock { $0.indices }.map {
            "#EXT-X-STREAM-INF:BANDWIDTH=1\n\(StreamFolder.layerName($0))/stream.m3u8\n"
        }
        try write("#EXTM3U\n" + names.joined(), to: "\(directory)/\(StreamFolder.masterName)")
    }

    func end() throws {
        for index in builders.withLock({ $0.indices }) {
            let text = builders.withLock { builders in
                builders[index].end()
                return builders[index].rendered()
            }
            try write(text, to: "\(layer(index))/\(StreamFolder.playlistName)")
        }
    }

    func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Does all work that is possible at this moment.
    func work(_ uploads: LiveUploads) async {
        for _ in 0..<1000 {
            await uploads.look()
            let turns = await uploads.due()
            guard !turns.isEmpty else { return }
            for turn in turns { await uploads.carryOut(turn) }
        }
    }

    func advance(_ duration: Duration) { time.withLock { $0 = $0 + duration } }

    /// The names in the store below the stream's name.
    var names: Set<String> {
        Set(store.objects.keys.map { String($0.dropFirst(Self.prefix.count + 1)) })
    }

    func text(_ name: String) -> String {
        String(decoding: store.objects["\(Self.prefix)/\(name)"]?.bytes ?? [], as: UTF8.self)
    }

    func read(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    var hasRecord: Bool {
        FileManager.default.fileExists(
            atPath: "\(root)/recordings/live/room/\(Self.stream).json")
    }
}
