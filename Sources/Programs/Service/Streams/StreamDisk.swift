import Catalogue
import ChildProcesses
import Foundation
import Glibc
import HLS
import MediaKernel
import Recording
import Streams

/// What the server does to the files of streams. Each call may last as long as a disk hangs, so
/// ``StreamPersister`` makes them where nobody waits but the stream itself.
struct StreamDisk: Sendable {
    /// Recordings of one room that may begin in one second.
    static let placesMaximum: Int64 = 1000

    /// The root of recordings.
    let recordings: String
    /// The directories, and what keeps other servers out of them.
    var held: [HeldFile] = []
    /// Hears which directory is touched next. A test hangs here as a disk would.
    var touching: @Sendable (String) -> Void = { _ in }

    /// Checks that the directories are still those that they were. One that was deleted would be
    /// made anew by the next stream, which no other server and no restart of this one would know of.
    ///
    /// - Throws: `.storage`.
    func check() throws(LiveStreamError) {
        for file in held {
            touching(file.path)
            if let loss = file.loss { throw .storage("\(file.path): \(loss)") }
        }
    }

    /// Makes the directory of a new stream with its record in it, and a directory for its assets.
    ///
    /// - Parameter order: what is to be kept; nil for nothing.
    /// - Returns: where the assets come to lie; nil where there will be none.
    /// - Throws: `.storage`; nothing is left on the disk then.
    func begin(
        _ stream: LiveStream, in directory: String, order: RecordingOrder?
    ) throws(LiveStreamError) -> RecordingPlace? {
        touching(directory)
        let place = order == nil ? nil : try reservePlace(of: stream)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            try StreamKeeper.note(
                StreamKeeper.Record(stream, in: directory, order: order, place: place))
        } catch {
            takeBack(directory, place)
            throw .storage("\(directory): \(error.systemReason)")
        }
        return place
    }

    /// Streams of one room may begin in the same second; making the directory tells who is first.
    /// The number is one for both kinds, since their chats lie together.
    private func reservePlace(of stream: LiveStream) throws(LiveStreamError) -> RecordingPlace {
        let time = stream.createdAt
        let date = String(time.description.prefix(10))
        for epoch in time.seconds..<time.seconds + Self.placesMaximum {
            func place(_ kind: LiveStream.Kind) -> RecordingPlace {
                RecordingPlace(kind: kind, room: stream.room, date: date, epoch: epoch)
            }
            let isTaken = LiveStream.Kind.allCases.contains {
                FileManager.default.fileExists(atPath: self.path(of: place($0)))
            }
            if isTaken { continue }
            let path = self.path(of: place(stream.kind))
            let parent = path[..<(path.lastIndex(of: "/") ?? path.endIndex)]
            do {
                try FileManager.default.createDirectory(
                    atPath: String(parent), withIntermediateDirectories: true)
            } catch {
                throw .storage("\(parent): \(error.localizedDescription)")
            }
            if mkdir(path, 0o755) == 0 { return place(stream.kind) }
            guard errno == EEXIST else {
                throw .storage("\(path): \(String(cString: strerror(errno)))")
            }
        }
        throw .storage("\(stream.room) has too many recordings of this second")
    }

    private func path(of place: RecordingPlace) -> String { "\(recordings)/\(place.directory)" }

    /// Removes what `begin` has made.
    func takeBack(_ directory: String, _ place: RecordingPlace?) {
        try? FileManager.default.removeItem(atPath: directory)
        giveBack(place)
    }

    /// The assets' directory of a stream of which nothing is kept: no finisher has written there.
    private func giveBack(_ place: RecordingPlace?) {
        if let place { rmdir(path(of: place)) }
    }

    /// Writes a state that is not the last into the stream's directory.
    func note(_ record: StreamKeeper.Record) throws {
        touching(record.directory)
        try StreamKeeper.note(record)
    }

    /// - Returns: the path of the bot's settings.
    func write(_ configuration: BotConfiguration, to directory: String) throws -> String {
        touching(directory)
        return try configuration.write(to: directory)
    }

    /// Lists timed metadata in the stream's log.
    func append(
        _ metadata: [TimedMetadata], in directory: String
    ) throws(RecordingError) {
        touching(directory)
        try TimedMetadataLog.append(metadata, in: directory)
    }

    /// The settings of a bot that is gone hold nothing that the next server needs.
    func removeConfiguration(in directory: String) {
        try? FileManager.default.removeItem(
            atPath: "\(directory)/\(BotConfiguration.fileName)")
    }

    /// Ends the playlists that the last bot left open.
    ///
    /// - Returns: how many.
    func finishPlaylists(in directory: String) throws -> Int {
        touching(directory)
        // First, since a full disk has room for the rest then.
        removeConfiguration(in: directory)
        return try PlaylistFinisher.finish(in: directory)
    }

    /// Removes what the bots of a stream that never ran left behind, except the record.
    func discard(_ directory: String, _ place: RecordingPlace?) throws {
        touching(directory)
        defer { giveBack(place) }
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name != StreamFile.name {
            try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
    }
}

extension StreamKeeper.Record {
    /// - Parameters:
    ///   - order: nil when the stream is not recorded.
    ///   - place: of its assets; nil where there will be none.
    init(
        _ stream: LiveStream, in directory: String, order: RecordingOrder?, place: RecordingPlace?
    ) {
        self.init(
            file: StreamFile(
                stream: CatalogueStream(stream, assetDirectory: place?.directory), order: order),
            directory: directory)
    }
}
