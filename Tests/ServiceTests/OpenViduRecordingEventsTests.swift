import Catalogue
import ChildProcesses
import MediaKernel
import Streams
import Testing

@testable import Service

/// What OpenVidu's application servers are told of recordings.
@Suite(.timeLimit(.minutes(5))) struct OpenViduRecordingEventsTests {
    private static func request(label: String) -> LiveStreamRequest {
        var request = LiveStreamRequest(
            kind: .recording, recording: RecordingOptions(singleFilePerLayer: true))
        request.recording?.label = RecordingLabel(id: label, name: label)
        return request
    }

    private static func events(_ world: StreamsWorld) async throws -> [JSONValue] {
        try await world.catalogue.pendingDeliveries(limit: 100).filter { $0.receiver != nil }
            .map { delivery in
                try JSONDocument(String(decoding: delivery.body, as: UTF8.self), limits: .own).root
                    .decode(JSONValue.self)
            }
    }

    private static func words(_ events: [JSONValue], _ name: String) -> [JSONValue?] {
        events.map { event in
            if case .object(let members) = event { members[name] } else { nil }
        }
    }

    /// A server that is killed as soon as a state is known has told it.
    @Test func eachStateIsWrittenDownWithItsEvent() async throws {
        try await StreamsWorld().run { world in
            let (id, bot) = try await world.running(Self.request(label: "demo"))
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            bot.exit(.finished(reason: "stop"))
            let finisher = try #require(await world.finishers.next())
            finisher.exit(.finished)
            _ = await world.observer.ending()
            let events = try await Self.events(world)
            // Without a file nothing is ready.
            #expect(Self.words(events, "status") == ["started", "stopped", "failed"])
            #expect(Self.words(events, "id") == ["demo", "demo", "demo"])
            #expect(
                Self.words(events, "uniqueSessionId")
                    == Array(repeating: "demo_1750000000000", count: 3))
            #expect(Self.words(events, "reason").last == "recordingStoppedByServer")
        }
    }

    @Test func nobodyIsToldOfRecordingsOfOtherApplications() async throws {
        var request = Self.request(label: "")
        request.recording?.label = nil
        try await StreamsWorld().run { [request] world in
            _ = try await world.running(request)
            await world.settle()
            #expect(try await Self.events(world).isEmpty)
        }
    }
}
