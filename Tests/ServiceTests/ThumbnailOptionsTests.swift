import Catalogue
import Foundation
import HundredMSTerms
import MediaKernel
import Rooms
import Streams
import Testing

@testable import Service

@Suite struct ThumbnailOptionsTests {
    private func request(_ wish: ThumbnailOptions? = nil) -> LiveStreamRequest {
        var request = LiveStreamRequest()
        request.recording = RecordingOptions(hlsVOD: true, thumbnails: wish)
        return request
    }

    @Test func byDefaultThereIsOneAtTwoSecondsAndASheet() {
        #expect(StreamSettings().thumbnails(for: request()) == ThumbnailOrder(offsets: [2]))
    }

    @Test func theRequestStandsBeforeTheDestinationAndThatBeforeTheSettings() throws {
        var settings = StreamSettings()
        settings.recordings.thumbnails = ThumbnailOptions(
            width: 100, height: 200, offsets: [1], fps: 1
        )
        .completed(by: settings.recordings.thumbnails)
        var main = HLSDestination()
        main.recording = HLSDestination.Recording(
            thumbnails: ThumbnailOptions(width: 300, offsets: [3]))
        try settings.read(
            Policy(validating: Policy.standard.roles, hlsDestinations: ["main": main]))
        #expect(
            settings.thumbnails(for: request())
                == ThumbnailOrder(width: 300, height: 200, offsets: [3], frameRate: 1))
        #expect(
            settings.thumbnails(for: request(ThumbnailOptions(offsets: [5, 6])))
                == ThumbnailOrder(width: 300, height: 200, offsets: [5, 6], frameRate: 1))
        #expect(settings.thumbnails(for: request(ThumbnailOptions(enabled: false))) == nil)
    }

    @Test func aDestinationOfRecordingsHasItsOwn() throws {
        var settings = StreamSettings()
        var destination = RecordingDestination(width: 1280, height: 720)
        destination.thumbnails = ThumbnailOptions(width: 640)
        try settings.read(
            Policy(
                validating: Policy.standard.roles, recordingDestinations: ["main": destination]))
        var recording = request()
        recording.kind = .recording
        #expect(settings.thumbnails(for: recording)?.width == 640)
        #expect(settings.thumbnails(for: request())?.width == 0)
        destination.thumbnails = ThumbnailOptions(width: 15)
        let wrong = try Policy(
            validating: Policy.standard.roles, recordingDestinations: ["main": destination])
        #expect(
            refusedSetting {
                try settings.read(wrong)
            } == "policy.file")
    }

    @Test func soundAloneHasNone() {
        var request = request(ThumbnailOptions(enabled: true))
        request.audio = LiveStreamAudio(only: true)
        #expect(StreamSettings().thumbnails(for: request) == nil)
    }

    @Test(arguments: [
        (ThumbnailOptions(width: 15), "width is 0 or 16 to 1920 pixels"),
        (ThumbnailOptions(height: 1921), "height is 0 or 16 to 1920 pixels"),
        (ThumbnailOptions(offsets: [-1]), "offsets are at most 20 whole seconds, 0 to 604800"),
        (
            ThumbnailOptions(offsets: Array(0...20)),
            "offsets are at most 20 whole seconds, 0 to 604800"
        ),
        (ThumbnailOptions(fps: 0), "fps is above 0 and at most 60"),
        (ThumbnailOptions(fps: .nan), "fps is above 0 and at most 60"),
    ])
    func whatBreaksARuleIsNamed(wish: ThumbnailOptions, fault: String) {
        #expect(wish.fault == fault)
    }

    @Test func whatPoliciesOf100msSayIsNoFault() {
        #expect(
            ThumbnailOptions(enabled: true, width: 720, height: 1920, offsets: [2], fps: 60).fault
                == nil)
    }
}
