import HLS
import MediaKernel
import Rooms
import Testing

@testable import Streams

@Suite struct StreamAdmissionTests {
    private typealias Running = StreamAdmission.Running

    private let roomy = StreamCapacity(onAir: 0, streamsMaximum: 9, variantsPerRoomMaximum: 3)

    private func running(
        _ id: StreamID, _ metadata: String = "", at destination: String = "default",
        kind: LiveStream.Kind = .stream, isStopping: Bool = false
    ) -> Running {
        let stream = LiveStream(
            id: id, room: "demo", kind: kind, session: nil,
            plan: StreamPlan(variant: LiveStreamVariant(metadata: metadata)),
            createdAt: UnixTime(seconds: 1), startedBy: "")
        return Running(stream, destination: destination, isStopping: isStopping)
    }

    private func request(
        _ metadata: String..., kind: LiveStream.Kind = .stream
    ) -> LiveStreamRequest {
        LiveStreamRequest(
            kind: kind, variants: metadata.map { LiveStreamVariant(metadata: $0) })
    }

    private func admission(
        _ request: LiveStreamRequest, beside running: [Running] = [],
        _ capacity: StreamCapacity? = nil, scene: StreamScene = StreamScene(),
        to destination: String = "default"
    ) throws(LiveStreamError) -> StreamAdmission {
        try StreamAdmission(
            of: request, in: "demo", destination: destination, running: running,
            scene: scene, capacity: capacity ?? roomy
        ) { StreamPlan(variant: $0, destination: destination) }
    }

    /// The ids of streams that run, or the variants that begin.
    private func words(_ admission: StreamAdmission) -> [String] {
        admission.answers.map { answer in
            switch answer {
            case .running(let stream): stream.id.rawValue
            case .begin(let plan): "+\(plan.variant.metadata)"
            }
        }
    }

    @Test func whatRunsIsTheAnswerAndTheRestBegins() throws {
        let beside = [running("1", "a"), running("2", "b", isStopping: true), running("3", "c")]
        let place = StreamCapacity(onAir: 3, streamsMaximum: 4, variantsPerRoomMaximum: 4)
        let admission = try admission(request("c", "b", "a"), beside: beside, place)
        #expect(words(admission) == ["3", "+b", "1"])
        #expect(admission.begun == 1)
    }

    @Test func aStreamOfAnotherDestinationIsAnotherOne() throws {
        let beside = [running("1", at: "main"), running("2", at: "archive")]
        #expect(words(try admission(request(""), beside: beside, to: "archive")) == ["2"])
        #expect(words(try admission(request(""), beside: beside, to: "third")) == ["+"])
    }

    @Test func aRoomHasOneRecordingWhateverIsAskedFor() throws {
        let beside = [running("1", "a", at: "main", kind: .recording)]
        let again = request("b", kind: .recording)
        #expect(words(try admission(again, beside: beside)) == ["1"])
        // Its own number does not matter, that of all streams does.
        let stopping = [running("1", kind: .recording, isStopping: true)]
        let full = StreamCapacity(onAir: 1, streamsMaximum: 2, variantsPerRoomMaximum: 0)
        #expect(words(try admission(again, beside: stopping, full)) == ["+b"])
    }

    @Test func whatCannotBeHadOfAStreamOnAirIsRefused() {
        var shorter = request("b", "")
        shorter.segmentDuration = .seconds(1)
        #expect(
            throws: LiveStreamError.runsOtherwise("1", "with segments of another length")
        ) { try admission(shorter, beside: [running("1")]) }
    }

    @Test(
        arguments: [
            (2, 2, nil), (3, 2, .tooManyVariants(room: "demo", maximum: 3)),
            (2, 8, .tooManyStreams(running: 8, maximum: 9)), (0, 9, nil), (1, 8, nil),
        ] as [(Int, Int, LiveStreamError?)])
    func thereIsAMaximumOfStreamsAndOfVariants(
        new: Int, onAir: Int, refusal: LiveStreamError?
    ) {
        var capacity = roomy
        capacity.onAir = onAir
        var variants = [LiveStreamVariant()]
        variants += (0..<new).map { LiveStreamVariant(metadata: "\($0)") }
        let outcome = Result { () throws(LiveStreamError) in
            try admission(
                LiveStreamRequest(variants: variants), beside: [running("1")], capacity
            ).begun
        }
        #expect(outcome == refusal.map { .failure($0) } ?? .success(new))
    }

    @Test func streamsThatTheAverageDoesNotShowNeedCPUToo() throws {
        var capacity = roomy
        capacity.cores = .init(idle: 1.5, perStream: 0.5, unseen: 1)
        #expect(capacity.refusal(ofNew: 2) == nil)
        #expect(capacity.refusal(ofNew: 3) == .insufficientCPU(idle: 1.5, needed: 2))
        capacity.cores?.idle = 0
        #expect(throws: LiveStreamError.insufficientCPU(idle: 0, needed: 1)) {
            try admission(request("b"), beside: [running("1")], capacity)
        }
        // Nothing new needs nothing.
        #expect(words(try admission(request(""), beside: [running("1")], capacity)) == ["1"])
    }

    @Test func aPageNeedsABrowsersShareToo() {
        var capacity = roomy
        capacity.pages = .init(onAir: 1, maximum: 2, memoryAvailable: 1_000_000_000)
        #expect(capacity.refusal(ofNew: 2, pages: 1) == nil)
        #expect(capacity.refusal(ofNew: 2, pages: 2) == .tooManyPages(running: 1, maximum: 2))
        capacity.pages.memoryAvailable = 500_000_000
        #expect(
            capacity.refusal(ofNew: 1, pages: 1)
                == .insufficientMemory(available: 500_000_000, needed: 740_000_000))
        capacity.pages.memoryAvailable = nil
        capacity.cores = .init(idle: 1, perStream: 0.5, unseen: 0)
        #expect(capacity.refusal(ofNew: 1) == nil)
        #expect(
            capacity.refusal(ofNew: 1, pages: 1) == .insufficientCPU(idle: 1, needed: 1.2))
    }

    @Test func aPageNeedsABrowser() {
        var capacity = roomy
        capacity.pages.hasBrowser = false
        #expect(capacity.refusal(ofNew: 1, pages: 1) == .noBrowser)
        #expect(capacity.refusal(ofNew: 1) == nil)
    }

    @Test func noPlanIsMadeWhereThereIsNoPlace() {
        var plans = 0
        let full = StreamCapacity(onAir: 9, streamsMaximum: 9, variantsPerRoomMaximum: 3)
        #expect(throws: LiveStreamError.tooManyStreams(running: 9, maximum: 9)) {
            try StreamAdmission(
                of: request("a"), in: "demo", destination: "", running: [],
                scene: StreamScene(), capacity: full
            ) { variant in
                plans += 1
                return StreamPlan(variant: variant)
            }
        }
        #expect(plans == 0)
        #expect(throws: LiveStreamError.invalidResolution("x")) {
            try StreamAdmission(
                of: request("a"), in: "demo", destination: "", running: [],
                scene: StreamScene(), capacity: roomy
            ) { _ throws(LiveStreamError) in throw .invalidResolution("x") }
        }
    }

    @Test func whatMayNotHaveBeenMeantIsSaid() throws {
        let unknown = StreamScene(isKnown: false)
        let beside = [running("1"), running("2", at: "archive")]
        let second = try admission(request("b"), beside: beside, scene: unknown)
        #expect(second.warnings.count == 2)
        #expect(second.warnings[0].hasPrefix("room demo does not exist"))
        #expect(second.warnings[1].contains("as stream 1 with no metadata"))
        let third = try admission(request(""), beside: beside, to: "third")
        #expect(
            third.warnings == [
                "the room is on air already, as stream 1 with destination 'default': "
                    + "one more recorder runs from now on"
            ])
        // What ends makes place.
        let ending = [running("1", at: "main", isStopping: true)]
        #expect(try admission(request(""), beside: ending, to: "third").warnings == [])
        var other = request("")
        other.layout = .object(["name": .string("speaker")])
        let same = try admission(other, beside: beside, scene: unknown)
        #expect(same.warnings.count == 1 && same.warnings[0].contains("changed nothing"))
    }

    @Test func rolesThatThePolicyLacksAreSaidWhereverTheyAreNamed() {
        let scene = StreamScene(roles: ["host"])
        func warnings(_ change: (inout LiveStreamRequest) -> Void) -> [String] {
            var request = request("a")
            change(&request)
            return scene.warnings(
                of: request, room: "demo", destination: "default", others: [], new: 1)
        }
        let rest = " names 'gast', which the room's policy does not have; its roles are host"
        #expect(warnings { $0.audio.roles = ["gast"] } == ["audio.roles\(rest)"])
        let tracks = warnings {
            $0.recording = RecordingOptions(tracks: TrackOptions(roles: ["host", "gast"]))
        }
        #expect(tracks == ["tracks.roles\(rest)"])
        #expect(warnings { $0.audio.roles = ["host"] } == [])
    }

    @Test func aDestinationThatSetsNothingIsSaidWhenAStreamBegins() throws {
        let scene = StreamScene(hasDestinations: false)
        func warnings(
            _ kind: LiveStream.Kind, beside: [Running] = [], _ scene: StreamScene
        ) throws -> [String] {
            var request = request("", kind: kind)
            request.destination = "main"
            return try admission(request, beside: beside, scene: scene, to: "main").warnings
        }
        let nothing = "destination 'main' sets nothing: the room's policy has no "
        #expect(try warnings(.stream, scene) == ["\(nothing)hlsDestinations"])
        #expect(try warnings(.recording, scene) == ["\(nothing)browserRecordings"])
        #expect(try warnings(.stream, StreamScene()) == [])
        let running = [running("1", at: "main")]
        #expect(try warnings(.stream, beside: running, scene) == [])
        #expect(try admission(request(""), scene: scene).warnings == [])
    }
}
