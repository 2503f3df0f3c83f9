import Foundation
import MediaKernel
import Rooms

extension Settings {
    /// `recordings.thumbnails`: missing fields keep their values.
    mutating func readThumbnails(_ source: SettingsSource) throws(SettingsError) {
        guard let text = source.text(.recordingsThumbnails) else { return }
        let key = SettingKey.recordingsThumbnails.rawValue
        guard let wish = try? JSONDocument.decode(ThumbnailOptions.self, from: text.utf8)
        else {
            throw .invalid(
                key: key, reason: "an object of enabled, width, height, offsets and fps")
        }
        if let fault = wish.fault { throw .invalid(key: key, reason: fault) }
        stream.thumbnails = wish.completed(by: stream.thumbnails)
    }
}
