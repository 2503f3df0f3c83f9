import Catalogue
import ControlAPI
import Foundation
import HLS
import HundredMS
import HundredMSTerms
import MediaKernel
import Rooms
import Stage
import Streams
import Testing
import Workbench

@testable import Service

/// The policies of rooms, from the policy file and from templates.
@Suite struct PolicyStoreTests {
    private let scratch: Scratch
    private let catalogue: Catalogue

    init() throws {
        scratch = try Scratch()
        catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
    }

    private func store(_ policy: Policy = .standard) throws -> PolicyStore {
        try PolicyStore(policy: policy, streams: StreamSettings(), catalogue: catalogue)
    }

    private func document(_ json: String) throws -> TemplateDocument {
        try JSONDocument.decode(TemplateDocument.self, from: json.utf8)
    }

    /// Writes a template, and a room that uses it.
    private func write(_ id: String, _ json: String) async throws {
        let template = CatalogueTemplate(
            id: id, name: id, document: json, createdAt: UnixTime(seconds: 1_770_000_000))
        _ = try await catalogue.createTemplate(template)
        _ = try await catalogue.registerRoom(
            CatalogueRoom(
                id: RoomID("room-\(id)"), name: "room-\(id)", template: id,
                createdAt: UnixTime(seconds: 1_770_000_000)),
            otherName: "x")
    }

    private static let lecture = #"""
        {"roles": {"teacher": {"permissions": {"endRoom": true},
                               "publishParams": {"allowed": ["audio"]}},
                   "student": {"subscribeParams": {"subscribeToRoles": ["*"]}}},
         "settings": {"roomState": {"enabled": true, "messageInterval": 30}},
         "destinations": {
           "hlsDestinations": {"default": {
             "layers": [{"width": 640, "height": 360, "videoBitrate": 500}],
             "layout": {"name": "speaker"}, "maxDuration": 60,
             "recording": {"hlsVod": true, "thumbnails": {"enabled": false}}}},
           "browserRecordings": {"default": {"width": 320, "height": 180}}}}
        """#

    @Test func anotherPolicyInThePlaceOfTheFilesIsForRoomsAndTemplatesToCome() async throws {
        let store = try store()
        let copy = store
        let other = try PolicyFile.policy(
            fromJSON: #"{"id": "other", "roles": {"teacher": {}, "student": {}}}"#)
        store.use(try store.checked(other))
        let room = try await copy.policy(of: "hall")
        #expect(room.policy.visibleRoleNames.sorted() == ["student", "teacher"])
        #expect(copy.standard.id == "other")
    }

    @Test func aRoomWithoutATemplateHasThePolicyFile() async throws {
        let store = try store()
        #expect(store.standard.id == "default")
        #expect(
            store.standard.document.roles.keys.sorted()
                == Policy.standard.roles.map(\.name).sorted())
        let policy = try await store.policy(of: "hall")
        #expect(policy.policy == .standard)
        #expect(policy.streams == StreamSettings())
        // Its document is itself a valid policy.
        #expect(throws: Never.self) { try store.check(store.standard.document, id: "default") }
    }

    @Test func aRoomHasItsTemplatesRolesLaddersAndLayouts() async throws {
        try await write("lecture", Self.lecture)
        let store = try store()
        let room = try await store.policy(of: "room-lecture")
        #expect(room.policy.templateID == "lecture")
        #expect(room.policy.visibleRoleNames == ["student", "teacher"])
        #expect(room.policy.role("teacher")?.permissions.endRoom == true)
        #expect(room.policy.role(HundredMSTerms.recorderRole)?.isHidden == true)
        #expect(room.policy.roomState == RoomStateSettings(isEnabled: true, interval: 30))
        let request = LiveStreamRequest(
            recording: RecordingOptions(hlsVOD: true, singleFilePerLayer: false))
        #expect(try room.streams.ladder(for: request).layers.map(\.width) == [640])
        #expect(room.streams.thumbnails(for: request) == nil)
        #expect(
            room.streams.destinations.rules(for: "", StreamRules()).durationMaximum
                == .seconds(60))
        #expect(try room.streams.layout(for: request) != StreamSettings().layout)
        var recording = request
        recording.kind = .recording
        #expect(try room.streams.ladder(for: recording).layers.map(\.width) == [320])
        // Other rooms keep theirs.
        let other = try await store.policy(of: "hall")
        #expect(try other.streams.ladder(for: request) == .standard)
        #expect(other.policy.role("teacher") == nil)
    }

    @Test func aTemplateThatCannotBeUsedLetsNobodyIn() async throws {
        try await write("broken", #"{"roles":{},"settings":{},"destinations":{}}"#)
        try await write("garbled", "{")
        _ = try await catalogue.registerRoom(
            CatalogueRoom(
                id: "room-gone", name: "room-gone", template: "gone",
                createdAt: UnixTime(seconds: 1_770_000_000)),
            otherName: "x")
        let store = try store()
        for id in ["broken", "garbled", "gone"] {
            await #expect(throws: APIError.self, "\(id)") {
                _ = try await store.policy(of: RoomID("room-\(id)"))
            }
        }
    }

    @Test func whatIsWrongWithATemplateIsSaidInWords() throws {
        let store = try store()
        for (json, words) in [
            (
                #"{"roles":{"a":{"priority":9},"b":{"maxPeerCount":-2}}}"#,
                ["'roles.a.priority' is 9", "'roles.b.maxPeerCount'"]
            ),
            (
                #"{"roles":{"a":{"subscribeParams":{"subscribeToRoles":["x"]}}}}"#,
                ["role 'x', which does not exist"]
            ),
            (#"{"roles":{"a":{"priority":"1"}}}"#, ["roles.a.priority"]),
            (
                #"{"roles":{"a":{}},"destinations":{"hlsDestinations":{"d":{"maxDuration":-1}}}}"#,
                ["destination 'd': maxDuration"]
            ),
            (
                #"{"roles":{"a":{}},"destinations":{"hlsDestinations":{"d":{"layers":[{"width":1}]}}}}"#,
                ["destination 'd': "]
            ),
            (
                #"{"roles":{"a":{}},"destinations":{"hlsDestinations":{"d":{"layout":{"name":"x"}}}}}"#,
                ["'d'"]
            ),
            (#"{"roles":{}}"#, ["hidden"]),
        ] {
            var fields = try #require(
                JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            for key in ["settings", "destinations"] where fields[key] == nil {
                fields[key] = [String: Any]()
            }
            let data = try JSONSerialization.data(withJSONObject: fields)
            let document = try JSONDocument.decode(TemplateDocument.self, from: data)
            do throws(APIError) {
                try store.check(document, id: "t")
                Issue.record("accepted: \(json)")
            } catch {
                #expect(error.code == 400 && error.message == "template is not valid")
                for word in words {
                    #expect(error.details.joined().contains(word), "\(error.details)")
                }
            }
        }
    }

    @Test func thePolicyFilesOwnIDIsKept() async throws {
        let policy = try Policy(
            validating: [Role(name: "a")], templateID: "Of the town",
            hlsDestinations: ["hd": HLSDestination(layers: [.init(width: 1280)])])
        let store = try store(policy)
        #expect(store.standard.id == "Of the town")
        let streams = try await store.policy(of: "hall").streams
        #expect(streams.destinations.ladder(for: "hd")?.layers.count == 1)
        guard
            case .object(let destinations) = store.standard.document.destinations["hlsDestinations"]
        else {
            Issue.record("no destinations")
            return
        }
        #expect(destinations.keys.sorted() == ["hd"])
    }

    @Test func aTemplateMayRecordItsRooms() async throws {
        try await write(
            "old",
            #"{"roles":{"a":{}},"settings":{"recording":{"enabled":true}},"destinations":{}}"#)
        try await write(
            "new",
            #"""
            {"roles": {"a": {}}, "settings": {}, "destinations": {},
             "recordings": [{"name": "main", "maxDuration": 1800,
               "compositeRecording": {"browserComposite": {"autoStart": true,
                 "autoStopTimeout": 500, "width": 640, "height": 480}}}]}
            """#)
        let store = try store()
        #expect(try await store.policy(of: "hall").streams.autoStarts.isEmpty)
        let old = try await store.policy(of: "room-old").streams.autoStarts
        #expect(old.map(\.0) == [.recording] && old.map(\.1.condition) == [.roomOpens])
        #expect(old.map(\.1.recording) == [.oneFile])
        let streams = try await store.policy(of: "room-new").streams
        #expect(streams.autoStarts.map(\.0) == [.recording])
        let request = LiveStreamRequest(kind: .recording, recording: .oneFile)
        #expect(try streams.ladder(for: request).layers.map(\.width) == [640])
        let rules = streams.recordingDestinations.rules(for: "", StreamRules())
        #expect(rules.durationMaximum == .seconds(1800) && rules.emptyTimeout == .seconds(500))
    }

    @Test func aTemplateMayRecordTheTracksOfARole() async throws {
        func template(_ composite: String) -> String {
            #"{"roles":{"a":{},"b":{}},"settings":{},"destinations":{},"recordings":[{"name":"main","#
                + #""role":"b","trackRecording":{"enabled":true}\#(composite)}]}"#
        }
        try await write("alone", template(""))
        try await write(
            "both", template(#","compositeRecording":{"customComposite":{"enabled":true}}"#))
        let store = try store()
        let alone = try await store.policy(of: "room-alone").streams.autoStarts
        #expect(alone.map(\.0) == [.recording] && alone.map(\.1.condition) == [.roomOpens])
        let wish = try #require(alone.first?.1.recording)
        #expect(wish.tracks?.roles == ["b"] && LiveStreamRecording(wish).isTracksAlone)
        let both = try await store.policy(of: "room-both").streams.autoStarts
        let recording = LiveStreamRecording(try #require(both.first?.1.recording))
        #expect(recording.singleFilePerLayer && recording.tracks?.roles == ["b"])
        #expect(!recording.isTracksAlone)
    }

    @Test func aTemplateMayRecordAFileOfEachPeer() async throws {
        try await write(
            "streams",
            #"{"roles":{"a":{}},"settings":{},"destinations":{},"recordings":[{"name":"main","#
                + #""streamRecording":{"enabled":true,"width":1280,"height":720}}]}"#)
        let starts = try await store().policy(of: "room-streams").streams.autoStarts
        let wish = try #require(starts.first?.1.recording)
        #expect(wish.tracks?.perPeer == true && wish.tracks?.roles == nil)
        #expect(LiveStreamRecording(wish).isTracksAlone)
    }

    @Test func onlyTheLayersThatAreNamedAreKept() async throws {
        try await write(
            "some",
            #"""
            {"roles": {"a": {}}, "settings": {}, "destinations": {"hlsDestinations": {"d": {
              "layers": [{"width": 1280, "height": 720, "videoBitrate": 2000},
                         {"width": 854, "height": 480, "videoBitrate": 900},
                         {"width": 640, "height": 360, "videoBitrate": 500}],
              "recording": {"hlsVod": true,
                            "layers": [{"height": 360}, {"width": 1280, "height": 720}]}}}}}
            """#)
        let streams = try await store().policy(of: "room-some").streams
        let ladder = try streams.ladder(for: LiveStreamRequest())
        #expect(streams.destinations.recordedLayers(for: "", of: ladder) == [0, 2])
        // For a request's own ladder, the layers that match.
        #expect(streams.destinations.recordedLayers(for: "", of: .standard) == [0, 2])
        #expect(StreamDestinations().recordedLayers(for: "", of: ladder) == nil)
    }
}
