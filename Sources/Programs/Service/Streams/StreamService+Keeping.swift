import Catalogue
import Logging
import MediaKernel
import Streams

/// What `StreamService.keepRecords` is asked for.
enum StreamSave: Sendable {
    case record(StreamKeeper.Record)
    /// Try again what could not be written down.
    case again
}

/// The streams' states on their way to the disk: each stream's in their order, again and again
/// while the disk is full, and without holding up the others.
extension StreamService {
    func keepRecords() async {
        for await save in saves {
            switch save {
            case .record(let record):
                let id = record.file.stream.id
                if unsaved[id] != nil {
                    unsaved[id]?.append(record)
                } else if await !keep(record) {
                    unsaved[id] = [record]
                    saveAgainLater()
                }
            case .again:
                await keepUnsaved()
            }
        }
    }

    private func keepUnsaved() async {
        for id in unsaved.keys.sorted() {
            while let record = unsaved[id]?.first, await keep(record) {
                unsaved[id]?.removeFirst()
            }
            guard unsaved[id]?.isEmpty == true else { continue }
            unsaved[id] = nil
            log(.notice, "the stream's record is written after all", id)
        }
        if !unsaved.isEmpty { saveAgainLater() }
    }

    private func saveAgainLater() { savesAgainAt = clock().instant + Self.saveRetryDelay }

    /// - Returns: whether it is written down; if so, and it is the last state, it has been told.
    private func keep(_ record: StreamKeeper.Record) async -> Bool {
        let stream = record.file.stream
        do {
            try await keeper.save(record)
        } catch {
            if unsaved[stream.id] == nil {
                log(
                    .error, "the stream's record cannot be written yet", stream.id,
                    ["status": "\(stream.status.rawValue)", "error": "\(error)"])
            }
            return false
        }
        if stream.status.isFinal { finalStateKept(stream) }
        return true
    }
}
