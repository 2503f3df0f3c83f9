import GroupCalls
import HundredMS
import MediaKernel
import Rooms
import Testing

/// The words of refusals, once: other tests name the error.
@Suite struct RefusalWordsTests {
    @Test(
        arguments: [
            (.malformed(.json(.malformed)), "400 malformed frame: not valid JSON"),
            (
                .malformed(.json(.tooDeep(maximum: 16))),
                "400 malformed frame: nested deeper than 16"
            ),
            (
                .malformed(.json(.tooManyNodes(maximum: 9))),
                "400 malformed frame: more than 9 names and values"
            ),
            (.malformed(.notAnObject), "400 malformed frame: the frame must be an object"),
            (.malformed(.noMethod), "400 malformed frame: no method"),
            (.unknownMethod("m"), "404 method 'm' is not known here"),
            (.missingParameter("a.b"), "400 parameter 'a.b' is missing"),
            (.tooManyFrames, "429 too many frames, or too large ones"),
            (.frameTooLong(method: "m", maximum: 9), "400 a 'm' frame has at most 9 bytes"),
            (.joinFirst(method: "m"), "400 'm' needs a joined peer: join first"),
            (
                .placeLost("p", kept: .seconds(60)),
                "410 peer p has no place in this room any more: a lost one is kept for 60 s; join again"
            ),
            (
                .tokenExpired,
                "401 token is expired: it only lets a peer back to its place in the room"
            ),
            (.busy, "503 an earlier connection of this peer is still being set up or taken down"),
            (.mediaUnavailable("x"), "500 no media for this peer: x"),
            (.notEncodable("x"), "500 internal error"),
            (
                .streaming(LiveStreamingError(.unavailable, message: "too many streams")),
                "503 too many streams"
            ),
            (.call(.unknownCall("r")), "404 room r is no group call"),
            (.call(.deleted("r")), "410 room r is deleted"),
            (.call(.invitationOver("i", .canceled)), "409 invitation i is canceled"),
            (.call(.notYours("i")), "403 invitation i is not this user's"),
            (.call(.tooManyItems(maximum: 20)), "400 a room has at most 20 custom items"),
            (.call(.unavailable("disk")), "503 group calls cannot be looked up"),
        ] as [(SignallingError, String)])
    func ofFramesAndPlaces(error: SignallingError, words: String) {
        #expect(refusal(error) == words)
    }

    @Test(
        arguments: [
            (.mustBe(.string), "must be a string"), (.mustBe(.boolean), "must be a boolean"),
            (.mustBe(.integer), "must be a whole number"), (.mustBe(.number), "must be a number"),
            (.mustBe(.array), "must be an array"), (.mustBe(.object), "must be an object"),
            (.notAllowed, "has a value that is not allowed"),
            (.tooLong(bytes: 9, maximum: 8), "has 9 bytes; at most 8 are allowed"),
            (.entries(0, allowed: 1...20), "has 0 entries; 1 to 20 are allowed"),
            (.entries(17, allowed: 0...16), "has 17 entries; at most 16 are allowed"),
            (.indexes(count: 2), "must have the indexes 1 to 2"),
            (.unknown, "is not known or too old"), (.mustSay("offer"), "must be 'offer'"),
            (.neededBeside("roles"), "must be true for a change by 'roles'"),
            (
                .neededWithout("rtmp_urls"),
                "must be true without rtmp_urls: there is nothing else to start"
            ),
            (.excludedBy("requested_for"), "cannot stand beside 'requested_for'"),
            (.moreThan("answer_max_len"), "is more than answer_max_len"),
        ] as [(ParameterFault, String)])
    func ofParameters(fault: ParameterFault, words: String) {
        #expect(refusal(.badParameter("p", fault)) == "400 parameter 'p' \(words)")
    }

    @Test(
        arguments: [
            (.alreadyJoined("p"), "400 peer p has already joined the room"),
            (.unknownPeer("p"), "404 peer p is not in the room"),
            (.peerGone("p"), "410 peer p has left the room"),
            (.unknownTrack("t"), "404 track t is not published by this peer"),
            (.unknownRole("r"), "400 role 'r' does not exist in this room's policy"),
            (.roomFull(maximum: 9), "403 the room is full: it holds 9 peers"),
            (
                .tooManyConnections(maximum: 2),
                "403 the room takes 2 connections, which are all there"
            ),
            (.otherRoom, "400 the token is for another room"),
            (.roomLocked, "403 the room is locked: nobody may join it"),
            (
                .missingPermission(.changeRole, role: "r"),
                "403 role 'r' has no permission 'changeRole'"
            ),
            (.unknownRoleOffer, "403 this role has not been offered, or the offer is over"),
            (.versionConflict(key: "k", version: 1), "409 key 'k' has version 1 by now"),
            (.tooManyRequests(perSecond: 20), "429 too many requests: at most 20 a second"),
            (.unknownPoll("p"), "404 poll p is not in this session"),
            (.pollEmpty("p"), "400 poll p has no questions"),
            (.pollState("p", .created), "409 poll p has not been started"),
            (.pollState("p", .started), "409 poll p is running"),
            (.pollState("p", .stopped), "409 poll p is over"),
            (
                .mayNotSeeAnswers("p", role: "r"),
                "403 role 'r' may not see what was answered to poll p"
            ),
            (.invalidField(field: "name", reason: "is empty"), "400 name is empty"),
        ] as [(RoomError, String)])
    func ofRooms(error: RoomError, words: String) {
        #expect(refusal(.room(error)) == words)
    }
}
