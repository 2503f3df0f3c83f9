import Catalogue
import ChildProcesses
import Foundation
import Glibc
import HLS
import MediaKernel
import Recording
import Streams

/// The server's operations on the files of streams. Each call may block on a hanging disk, so
/// ``StreamPersister`` runs them where only the stream itself waits.
struct StreamDisk: Sendable {
    /// The most recordings of one room that may begin in one second.
    static let placesMaximum: Int64 = 1000

    /// The root of recordings.
    let recordings: String
    /// The directories, and the files that keep other servers out of them.
    var held: [HeldFile] = []
    /// Receives each directory before it is accessed. Tests block here to simulate a hanging disk.
    var touching: @Sendable (String) -> Void = { _ in }

    /// Checks that the directories are still the original ones. Otherwise the next stream would
    /// recreate a deleted directory, unknown to other servers and to restarts of this one.
    ///
    /// - Throws: `.storage`.
    func check() throws(LiveStreamError) {
        for file in held {
            touching(file.path)
            if let loss = file.loss { throw .storage("\(file.path): \(loss)") }
        }
    }

    /// Creates the directory of a new stream with its record, and a directory for its assets.
    ///
    /// - Parameter order: the assets to make; nil for none.
    /// - Returns: the place of the assets; nil if there will be none.
    /// - Throws: `.storage`; then nothing remains on the disk.
    func begin(
        _ stream: LiveStream, in directory: String, order: RecordingOrder?
    ) throws(LiveStreamError) -> RecordingPlace? {
        touching(directory)
        let place = order == nil ? nil : try reservePlace(of: stream)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            try StreamRecordStore.note(
                StreamRecordStore.Record(stream, in: directory, order: order, place: place))
        } catch {
            takeBack(directory, place)
            throw .storage("\(directory): \(error.systemReason)")
        }
        return place
    }

    /// Streams of one room may begin in the same second; creating the directory decides who is
    /// first. Both kinds share the number, since their chats share a directory.
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
                throw .storage("\(parent): \(error.systemReason)")
            }
            if mkdir(path, 0o755) == 0 { return place(stream.kind) }
            guard errno == EEXIST else {
                throw .storage("\(path): \(String(cString: strerror(errno)))")
            }
        }
        throw .storage("\(stream.room) has too many recordings of this second")
    }

    private func path(of place: RecordingPlace) -> String { "\(recordings)/\(place.directory)" }

    /// Removes what `begin` has created.
    func takeBack(_ directory: String, _ place: RecordingPlace?) {
        try? FileManager.default.removeItem(atPath: directory)
        giveBack(place)
    }

    /// Removes the assets' directory of a stream without assets: no finisher has written to it.
    private func giveBack(_ place: RecordingPlace?) {
        if let place { rmdir(path(of: place)) }
    }

    /// Makes an uploaded picture one of the newest.
    ///
    /// - Parameter root: the directory of all streams.
    /// - Returns: false if the picture is not kept.
    func use(_ picture: UploadedPicture, of root: String) -> Bool {
        let path = "\(UploadedPicture.directory(in: root))/\(picture.name)"
        touching(path)
        return utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
    }

    /// Saves a state, other than the last one, in the stream's directory.
    func note(_ record: StreamRecordStore.Record) throws {
        touching(record.directory)
        try StreamRecordStore.note(record)
    }

    /// - Returns: the path of the bot's configuration.
    func write(_ configuration: BotConfiguration, to directory: String) throws -> String {
        touching(directory)
        return try configuration.write(to: directory)
    }

    /// Appends timed metadata to the stream's log.
    func append(
        _ metadata: [TimedMetadata], in directory: String
    ) throws(RecordingError) {
        touching(directory)
        try TimedMetadataLog.append(metadata, in: directory)
    }

    /// Appends captions to the stream's log.
    ///
    /// - Returns: false when it is full.
    func append(_ captions: [Caption], in directory: String) throws(RecordingError) -> Bool {
        touching(directory)
        return try CaptionLog.append(captions, in: directory)
    }

    /// Replaces the note of who owns the tracks.
    func keep(_ cast: StreamCast, in directory: String) throws(RecordingError) {
        touching(directory)
        try cast.write(in: directory)
    }

    /// Removes a dead bot's configuration, which the next server does not need.
    func removeConfiguration(in directory: String) {
        try? FileManager.default.removeItem(
            atPath: "\(directory)/\(BotConfiguration.fileName)")
    }

    /// Ends the playlists that the last bot left open.
    ///
    /// - Returns: the number of playlists.
    func finishPlaylists(in directory: String) throws -> Int {
        touching(directory)
        // First, to free space on a full disk.
        removeConfiguration(in: directory)
        return try PlaylistFinisher.finish(in: directory)
    }

    /// Removes the bots' output of a stream that never ran, except the record.
    func discard(_ directory: String, _ place: RecordingPlace?) throws {
        touching(directory)
        defer { giveBack(place) }
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name != StreamFile.name {
            try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
    }
}

extension StreamRecordStore.Record {
    /// - Parameters:
    ///   - order: nil if the stream is not recorded.
    ///   - place: the place of the assets; nil if there will be none.
    init(
        _ stream: LiveStream, in directory: String, order: RecordingOrder?, place: RecordingPlace?
    ) {
        self.init(
            file: StreamFile(
                stream: CatalogueStream(stream, assetDirectory: place?.directory), order: order),
            directory: directory)
    }
}
