import Catalogue
import ControlAPI
import HLS
import MediaKernel
import Rooms
import Streams

/// What a recording is to be.
extension OpenViduRecordings {
    func label(
        of room: RoomID, _ properties: OpenViduRecordingProperties
    ) async throws(APIError) -> RecordingLabel {
        var taken = try await read { () async throws(CatalogueError) in
            try await labels.inUse(of: room.rawValue)
        }
        taken.formUnion(current.values.map(\.label.id))
        var id = room.rawValue
        var number = 1
        while taken.contains(id) {
            id = "\(room)~\(number)"
            number += 1
        }
        let name = properties.name.isEmpty ? id : properties.name
        var terms = properties.shown
        terms["name"] = .string(name)
        return RecordingLabel(
            id: id, name: name, terms: .object(terms),
            bundle: properties.isComposed
                ? nil
                : RecordingLabel.Bundle(
                    hasSound: properties.hasAudio, hasPicture: properties.hasVideo))
    }

    func request(
        for properties: OpenViduRecordingProperties, _ label: RecordingLabel, in room: RoomID,
        authorities: Set<String>
    ) async throws(APIError) -> LiveStreamRequest {
        let hasPicture = properties.isComposed && properties.hasVideo
        var page: String?
        if hasPicture, properties.recordingLayout == "CUSTOM" {
            guard properties.customLayout.hasPrefix("http") else {
                throw .unprocessable(
                    "Wrong 'customLayout' parameter. It must be the whole address of a page")
            }
            page = properties.customLayout
        }
        var request = try LiveStreamRequest(
            checkingRecordingOf: page, isSoundAlone: properties.isComposed && !hasPicture,
            thumbnails: hasPicture ? ThumbnailOptions(enabled: true) : nil,
            tracks: properties.isComposed ? nil : TrackOptions(audio: .webm, composite: false),
            room: room, authorities: authorities)
        request.recording?.label = label
        request.patience = autostop
        if properties.isComposed, !properties.hasAudio { request.audio.roles = [] }
        if hasPicture { request.ladder = try await ladder(for: properties, in: room) }
        return request
    }

    /// One layer. Sides are even, and the rate is one that can be encoded.
    private func ladder(
        for properties: OpenViduRecordingProperties, in room: RoomID
    ) async throws(APIError) -> Ladder {
        let best: Layer
        do throws(LiveStreamError) {
            best = try await control.settings(of: room).ladder.top
        } catch {
            throw APIError(error, of: .recording)
        }
        var layer = best.resized(
            width: properties.width & ~1, height: properties.height & ~1)
        let rates = Ladder.frameRates
        layer.frameRate = min(max(properties.frameRate, rates.lowerBound), rates.upperBound)
        do throws(LadderError) {
            return try Ladder(validating: [layer])
        } catch {
            throw .unprocessable("Wrong 'resolution' parameter. \(error)")
        }
    }
}
