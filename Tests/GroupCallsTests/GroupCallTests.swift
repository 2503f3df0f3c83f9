import MediaKernel
import Testing

@testable import GroupCalls

@Suite struct GroupCallTests {
    private let now = UnixTime(seconds: 1_760_000_000)

    private func call() throws -> GroupCall {
        GroupCall(
            id: "r1", type: .smallRoomForVideo, items: try CustomItems(["topic": "a"]),
            creator: "ann", createdAt: now)
    }

    @Test func theTypesSayHowManyTakePartAndWithWhat() {
        #expect(CallType(rawValue: "small_room_for_video")?.participantsMaximum == 6)
        #expect(CallType(rawValue: "large_room_for_audio_only")?.participantsMaximum == 100)
        #expect(CallType.smallRoomForVideo.takesPictures)
        #expect(!CallType.largeRoomForAudioOnly.takesPictures)
        #expect(CallType.reconnection == .seconds(40))
    }

    @Test func aCallIsDeletedOnce() throws {
        var call = try call()
        #expect(call.state == .open)
        try call.delete(by: "ben", at: now + .seconds(1))
        #expect(call.state == .deleted)
        #expect(call.end == GroupCall.End(at: now + .seconds(1), by: "ben"))
        #expect(callError { try call.delete(by: nil, at: now + .seconds(2)) } == .deleted("r1"))
        #expect(call.end?.by == "ben")
    }

    @Test func nothingOfADeletedCallChanges() throws {
        var call = try call()
        try call.delete(by: nil, at: now)
        let before = call
        #expect(callError { _ = try call.setItems(["b": "c"], by: nil) } == .deleted("r1"))
        #expect(callError { _ = try call.removeItems(nil, by: "ann") }?.kind == .gone)
        #expect(call == before)
    }

    @Test func aChangeOfItemsSaysWhatIsToldToAll() throws {
        var call = try call()
        let change = try call.setItems(["topic": "b", "seat": "3"], by: "ben")
        let notice = CallNotice.itemsChanged(call.id, change)
        #expect(notice.event == "custom_items_updated")
        #expect(
            notice.json
                == .object([
                    "event": "custom_items_updated", "room_id": "r1", "by": "ben",
                    "keys": .array(["seat", "topic"]), "version": .integer(2),
                    "custom_items": .object(["topic": "b", "seat": "3"]),
                ]))
        let gone = CallNotice.itemsChanged("r1", try call.removeItems(["seat"], by: nil))
        #expect(gone.event == "custom_items_deleted")
        #expect(gone.data["keys"] == .array(["seat"]) && gone.data["by"] == .null)
    }

    @Test func aDefaultImageIsAnAddress() throws {
        try GroupCall.check(image: "https://example.org/p.png")
        for wrong in [
            "", "p.png", "ftp://example.org/p.png",
            "https://" + String(repeating: "a", count: 2048),
        ] {
            #expect(callError { try GroupCall.check(image: wrong) }?.kind == .invalid, "\(wrong)")
        }
        let call = GroupCall(
            id: "r", type: .smallRoomForVideo, defaultImage: "https://example.org/p.png",
            createdAt: now)
        #expect(call.json(participants: 0)["default_image"] == "https://example.org/p.png")
    }

    @Test func aCallHasOneForm() throws {
        var call = try call()
        try call.delete(by: "ben", at: now)
        #expect(
            call.json(participants: 3) == [
                "room_id": "r1", "type": "small_room_for_video", "state": "deleted",
                "created_by": "ann", "default_image": .null,
                "created_at": "2025-10-09T08:53:20.000000000Z",
                "participants": .integer(3), "participants_maximum": .integer(6),
                "deleted_at": "2025-10-09T08:53:20.000000000Z", "deleted_by": "ben",
                "custom_items": .object(["topic": "a"]), "version": .integer(1),
            ])
    }
}
