import Catalogue
import MediaKernel
import OpenVidu
import Testing
import Webhooks

@testable import Service

/// In which order OpenVidu's application servers are told what happens.
@Suite struct OpenViduWebhookTests {
    private let webhook = OpenViduWebhook(
        url: "https://app.example/hook", events: ["sessionCreated", "sessionDestroyed"])

    private func delivery(_ event: CallDetail.Event, since session: Int64?) throws -> (
        line: String, room: RoomID
    ) {
        let delivery = try #require(
            webhook.delivery(
                of: CallDetail(
                    event, in: RoomID("demo"), since: session.map(UnixTime.init(milliseconds:)),
                    at: UnixTime(milliseconds: 9))))
        return (delivery.line, delivery.room)
    }

    @Test func anotherSessionOfTheRoomDoesNotWait() throws {
        let created = try delivery(.sessionCreated, since: 5)
        let destroyed = try delivery(.sessionDestroyed, since: 5)
        let next = try delivery(.sessionCreated, since: 8)
        #expect(created == destroyed && created.line != next.line && created.room == next.room)
        var outbox = WebhookOutbox(seed: 1)
        let now = UnixTime(milliseconds: 9)
        for (id, line) in [("1", created.line), ("2", destroyed.line), ("3", next.line)] {
            outbox.add(WebhookOutbox.Delivery(id: id, line: line, createdAt: now))
        }
        #expect(outbox.next(at: now) == [.send(id: "1"), .send(id: "3")])
    }

    /// Signals are as many as a participant likes, and a recording's events are derived anew.
    @Test func whatIsKeptDependsOnTheEvent() throws {
        let webhook = OpenViduWebhook(
            url: "https://app.example/hook", events: Set(CallDetail.Event.allCases.map(\.rawValue)))
        func keeping(_ event: CallDetail.Event) -> CatalogueDelivery.Keeping? {
            webhook.delivery(
                of: CallDetail(event, in: RoomID("demo"), since: nil, at: UnixTime(seconds: 1)))?
                .keeping
        }
        #expect(keeping(.signalSent) == .minor && keeping(.recordingStatusChanged) == .identity)
        #expect(keeping(.sessionCreated) == .major && keeping(.participantLeft) == .major)
        #expect(CallDetail.Event.allCases.filter { keeping($0) == .major }.count == 6)
    }

    @Test func whatBelongsToNoKnownSessionIsInTheRoomsLine() throws {
        #expect(try delivery(.sessionCreated, since: nil).line == "openvidu-demo")
    }
}
