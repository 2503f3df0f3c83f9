import MediaKernel
import RoomHost
import Rooms
import SDP
import Testing
import XML

@testable import Jitsi

/// Hostile members of rooms of our own: nothing traps, each is answered, and others are not troubled.
@Suite(.timeLimit(.minutes(5))) struct HostileMemberTests {
    private static let sources = """
        {"sources":{"ben":[[{"s":1,"n":"ben-v0","m":"x y"},{"s":2,"n":"ben-v0"},{"s":4,"n":"ben-v0"},\
        {"s":5,"n":"ben-v0"}],[["s",1,2],["f",1,4],["f",2,5]],[{"s":3,"n":"ben-a0"}]]}}
        """

    @Test func noPartOfWhatAMemberAsksIsTrusted() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let mute = XMLElement(
            "mute", "http://jitsi.org/jitmeet/audio", ["jid": "\(FocusWorld.room)/ann"],
            text: "true")
        let bridge = XMLElement(
            "bridge-session", "http://jitsi.org/protocol/focus", ["id": "b", "ice-restart": "true"])
        let requests = [
            world.jingle("source-add", of: "ben", [FocusWorld.json(Self.sources)]),
            world.jingle("source-remove", of: "ben", [FocusWorld.json(Self.sources)]),
            world.jingle("session-info", of: "ben", [bridge]), mute,
        ]
        for request in requests {
            for changed in HostileTests.changes(of: request) {
                await world.pass(.milliseconds(100))
                #expect(await world.ask("ben", changed) != "nothing")
            }
        }
        #expect(await world.host.snapshot().peers.count == 2)
    }

    @Test func sourcesCutAnywhereAreRefused() async throws {
        let world = try await FocusWorld.meeting("ben")
        for length in 1..<Self.sources.utf8.count {
            let text = String(decoding: Self.sources.utf8.prefix(length), as: UTF8.self)
            let cut = FocusWorld.json(text)
            await world.pass(.milliseconds(100))
            #expect(await world.ask("ben", world.jingle("source-add", of: "ben", [cut])) != nil)
        }
        #expect(await world.peer(named: "ben")?.tracks.isEmpty == true)
    }

    @Test func noPartOfAnAcceptanceIsTrusted() throws {
        let plan = LegPlan(try NotedMedia.offer(LegPlan.sections))
        let features = ClientFeatures(hasAudio: true, hasVideo: true, hasChannel: true)
        let order = JingleOrder(session: "s", initiator: "focus@d", isJSON: true)
        let initiate = order.initiate(plan.contents(for: features), bridgeSession: "b")
        let acceptance = try FocusWorld.acceptance(of: initiate, Self.sources)
        for changed in HostileTests.changes(of: acceptance) {
            guard let request = try? JingleRequest(changed, from: "ben") else { continue }
            var changedPlan = plan
            let answer = try? changedPlan.accept(request.contents, preferring: ["vp8"])
            guard let answer else { continue }
            #expect(!answer.media.isEmpty)
            _ = changedPlan.offer(request.sources)
        }
    }

    @Test func noPartOfWhatTheBridgeIsToldIsTrusted() {
        let source = ConferenceSource(
            name: SourceName(owner: "ann", isVideo: true, number: 0), ssrc: 1)
        let texts = [
            #"{"colibriClass":"ReceiverVideoConstraints","lastN":2,"defaultConstraints":"#
                + #"{"maxHeight":180},"constraints":{"ann-v0":{"maxHeight":720}},"#
                + #""onStageSources":["ann-v0"],"selectedSources":["ann-v0"]}"#,
            #"{"colibriClass":"EndpointMessage","to":"ann","msgPayload":{"a":[1,null,"é"]}}"#,
        ]
        let others = ["", "\"", "{", "[", "}", "-", "1e999", "99999999999999999999", "null"]
        for text in texts {
            for index in text.indices {
                for other in others {
                    var changed = text
                    changed.replaceSubrange(index...index, with: other)
                    switch try? EndpointMessage(changed) {
                    case .constraints(let wishes)?:
                        #expect(wishes.layers(of: [source], speakers: ["ann"]).count == 1)
                    case .text(_, let members)?, .statistics(let members)?:
                        _ = BridgeWord.passed(members, from: "ben")
                    case .hello?, .other?, nil: break
                    }
                }
            }
        }
    }
}
