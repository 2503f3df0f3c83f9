import HLS
import Logging
import MediaKernel
import Rooms
import Streams
import Synchronization
import Testing

@testable import Service

@Suite struct LineLogHandlerTests {
    private func line(
        _ format: LineLogHandler.Format, _ message: Logger.Message, _ metadata: Logger.Metadata
    ) -> String {
        let lines = Mutex("")
        let handler = LineLogHandler(
            label: "roomcast", level: LogLevel(.info), format: format,
            time: { UnixTime(seconds: 0) }, write: { text in lines.withLock { $0 += text } })
        var logger = Logger(label: "roomcast") { _ in handler }
        logger[metadataKey: "room"] = "demo"
        logger.info(message, metadata: metadata)
        logger.debug("not shown")
        return lines.withLock { $0 }
    }

    @Test func theCommonLevelChangesForAllLoggersButThoseWithTheirOwn() {
        let level = LogLevel(.info)
        let handler = LineLogHandler(
            label: "x", level: level, format: .logfmt,
            time: { UnixTime(seconds: 0) }, write: { _ in })
        var own = handler
        own.logLevel = .error
        level.change(to: .debug)
        #expect(handler.logLevel == .debug && own.logLevel == .error)
    }

    @Test func anEventIsOneLineOfLogfmt() {
        #expect(
            line(.logfmt, "peer joined", ["peer": "p1", "name": "Ann \"A\"\nx", "empty": ""])
                == #"time=1970-01-01T00:00:00.000000000Z level=info logger=roomcast "#
                + #"message="peer joined" empty="" name="Ann \"A\"\nx" peer=p1 room=demo"# + "\n")
    }

    /// Characters that some readers treat as the end of a line, and invisible ones.
    @Test(arguments: [
        ("a\u{85}b", #""a\u0085b""#), ("a\u{2028}b", #""a\u2028b""#),
        ("a\u{2029}b", #""a\u2029b""#),
        ("a\u{9b}1mb", #""a\u009b1mb""#), ("a\u{202e}b", #""a\u202eb""#),
        ("\u{feff}a", #""\ufeffa""#), ("a\u{e0041}", #""a\udb40\udc41""#),
        ("a\u{b}b", #""a\u000bb""#),
        ("a\u{a0}b", "\"a\u{a0}b\""), ("日本", "日本"), ("Zoë", "Zoë"),
    ])
    func whatIsNotSeenIsEscaped(given: String, written: String) {
        #expect(LineLogHandler.logfmt(given) == written)
        if written.contains("\\") { #expect(LineLogHandler.json(given) == written) }
    }

    @Test func anEventIsOneLineOfJSON() {
        #expect(
            line(.json, "peer joined", ["peer": "p\u{1b}[31m\\"])
                == #"{"time":"1970-01-01T00:00:00.000000000Z","level":"info","#
                + #""logger":"roomcast","message":"peer joined","peer":"p\u001b[31m\\","#
                + #""room":"demo"}"# + "\n")
    }

    @Test func aLongValueIsCut() {
        let text = line(.logfmt, "x", ["v": "\(String(repeating: "a", count: 1_000_000))"])
        #expect(text.utf8.count < LineLogHandler.valueCharactersMaximum + 200)
    }
}

@Suite struct StreamIDsTests {
    @Test func idsSortByCreationWhateverTheClockDoes() {
        var ids = StreamIDs()
        var random = SeededRandom(seed: 5)
        var last: StreamID = ""
        for _ in 0..<2000 {
            let time = UnixTime(
                seconds: 1_760_000_000 - Int64(random.next() % 3))
            let id = ids.next(at: time, random: UInt32(truncatingIfNeeded: random.next()))
            #expect(id.rawValue.utf8.count == 24)
            #expect(id > last)
            last = id
        }
    }

    @Test func anIDFollowsThoseOfAnEarlierServerAlsoWhenTheClockWasSetBack() {
        var earlier = StreamIDs()
        let taken = earlier.next(at: UnixTime(seconds: 100), random: .max)
        var ids = StreamIDs()
        ids.isTaken(taken)
        ids.isTaken("no id of ours")
        let next = ids.next(at: UnixTime(seconds: 50), random: 0)
        #expect(next > taken)
        #expect(ids.next(at: UnixTime(seconds: 100), random: 0) > next)
    }

    @Test func anOverflowingCounterTakesTheNextMillisecond() {
        var ids = StreamIDs()
        var last: StreamID = ""
        for _ in 0...65_536 + 1 {
            let id = ids.next(at: UnixTime(seconds: 1), random: 0)
            if id <= last { Issue.record("\(id) after \(last)") }
            last = id
        }
    }
}

@Suite struct StreamBookTests {
    private func stream(_ index: Int, room: RoomID = "demo") -> LiveStream {
        let digits = String(index)
        return LiveStream(
            id: StreamID(String(repeating: "0", count: 8 - digits.count) + digits), room: room,
            session: "s", createdAt: UnixTime(seconds: Int64(index)), startedBy: "")
    }

    @Test func streamsAreFoundByWhatIsAskedNewestFirst() {
        var book = StreamBook()
        for index in 0..<12 { book.insert(stream(index, room: index % 2 == 0 ? "a" : "b")) }
        book.update("00000004") { $0.status = .completed }
        func found(_ query: LiveStreamQuery) -> [Int64] {
            book.matching(query).map { $0.createdAt.seconds }
        }
        #expect(found(LiveStreamQuery(room: "a")) == [10, 8, 6, 4, 2, 0])
        #expect(found(LiveStreamQuery(room: "a", start: "00000006")) == [4, 2, 0])
        #expect(found(LiveStreamQuery(status: .completed)) == [4])
        #expect(found(LiveStreamQuery(session: "t")) == [])
        // A forgotten id still marks a place to continue from.
        #expect(found(LiveStreamQuery(start: "00000002x")) == [2, 1, 0])
    }

    @Test func onlyTheLatestEndedStreamsAreRemembered() {
        var book = StreamBook()
        book.insert(stream(0))
        for index in 1...StreamBook.endedMaximum + 10 {
            var ended = stream(index)
            ended.status = .completed
            book.insert(ended)
        }
        #expect(book["00000000"] != nil, "what is on air is never forgotten")
        #expect(book["00000010"] == nil)
        #expect(book["00000011"] != nil)
        #expect(book.current(in: "demo", .stream)?.id == "00000000")
    }

    @Test func whatBecomesOfARecordingIsToldAlsoWhenTheNextOneIsOnAir() {
        var book = StreamBook()
        for index in 1...2 {
            var recording = stream(index)
            recording.kind = .recording
            recording.status = .running
            book.insert(recording)
        }
        book.update("00000001") { $0.status = .completed }
        let news = book.news(of: "00000001")
        guard case .recording("demo", let shown, let changed)? = news.first else {
            Issue.record("\(news)")
            return
        }
        #expect(shown.id == "00000002" && shown.status == .running)
        #expect(changed.id == "00000001" && changed.status == .completed)
    }
}

@Suite struct RoomStateTests {
    @Test(arguments: [
        (LiveStream.Status.starting, HLSVariant.State.initialised), (.running, .started),
        (.stopping, .started), (.postProcessing, .stopped), (.completed, .stopped),
        (.failed, .failed),
    ])
    func peersAreShownTheStreamsState(status: LiveStream.Status, state: HLSVariant.State) {
        var stream = LiveStream(
            id: "1", room: "demo", session: nil,
            plan: StreamPlan(variant: LiveStreamVariant(meetingURL: "u", metadata: "m")),
            playback: LiveStream.Playback(url: "p"),
            createdAt: UnixTime(nanoseconds: 1_500_000_000), startedBy: "")
        stream.status = status
        stream.end = status == .failed ? .failed(StreamFailure(.botDied, "x")) : nil
        stream.plan.playlist = .live(window: 6)
        let shown = HLSState([stream])
        #expect(shown.variants[0].state == state)
        #expect(shown.variants[0].url == "p" && shown.variants[0].playlistType == .noDVR)
        #expect(shown.variants[0].initialisedAt == UnixTime(milliseconds: 1500))
        #expect(shown.error?.message == (status == .failed ? "failure: x" : nil))
        #expect(shown.recording == nil)
    }

    @Test(arguments: [
        (StreamFailure.Cause.diskFull, StreamingFailure.Cause.storageFull),
        (.noRoomForAssets, .storageFull), (.notEncoded, .notEncoded),
        (.pageNotShown, .sourceBroken), (.sourceEncrypted, .sourceBroken),
        (.sourceSilent, .sourceBroken), (.sourceLost, .sourceBroken),
        (.sourceClosed, .sourceBroken),
        (.botStoodStill, .stoodStill), (.botNotStarted, .unavailable),
        (.serverRestarted, .unavailable), (.botDied, .broken),
        (.botLeftEarly, .broken), (.assetsNotMade, .broken), (.directoryLost, .broken),
        (.unknown, .broken),
    ])
    func aFailureTellsPeersItsCause(
        cause: StreamFailure.Cause, shown: StreamingFailure.Cause
    ) {
        var stream = LiveStream(
            id: "1", room: "demo", session: nil, playback: LiveStream.Playback(url: "p"),
            createdAt: UnixTime(nanoseconds: 1), startedBy: "")
        stream.status = .failed
        stream.end = .failed(StreamFailure(cause, "x"))
        let failure = StreamingFailure(shown, message: "failure: x")
        #expect(HLSState([stream]).error == failure)
        #expect(RoomRecording(stream).error == failure)
        // A normal end has no error.
        stream.status = .completed
        stream.end = .durationReached
        #expect(HLSState([stream]).error == nil)
        #expect(RoomRecording(stream).error == nil && RoomRecording(stream).state == .stopped)
    }

    /// That is, of the previous stream, whose assets were still being made.
    @Test func aFailureIsNotShownBesideANewerStream() {
        func stream(_ id: StreamID, at seconds: Int64) -> LiveStream {
            LiveStream(
                id: id, room: "demo", session: nil, playback: LiveStream.Playback(url: "p"),
                createdAt: UnixTime(nanoseconds: seconds * 1_000_000_000), startedBy: "")
        }
        var failed = stream("1", at: 10)
        failed.status = .failed
        failed.stoppedAt = UnixTime(nanoseconds: 20_000_000_000)
        failed.end = .failed(StreamFailure(.botDied, "x"))
        func shown(_ other: LiveStream) -> HLSState {
            HLSState([failed, other])
        }
        #expect(shown(stream("2", at: 30)).error == nil)
        // Two variants at once, of which one continues.
        #expect(shown(stream("2", at: 11)).error?.message == "failure: x")
    }

    private func recorded(
        _ id: StreamID, _ status: LiveStream.Status, isPaused: Bool = false,
        hasResumed: Bool = false
    ) -> LiveStream {
        var stream = LiveStream(
            id: id, room: "demo", session: nil,
            plan: StreamPlan(
                recording: LiveStreamRecording(hlsVOD: id == "1", singleFilePerLayer: true)),
            playback: LiveStream.Playback(url: "p"),
            createdAt: UnixTime(nanoseconds: 1_500_000_000), startedBy: id == "1" ? "ann" : "")
        stream.status = status
        stream.startedAt = status == .starting ? nil : UnixTime(nanoseconds: 2_500_000_000)
        stream.recordingPause = isPaused ? .paused : hasResumed ? .resumed : .none
        return stream
    }

    @Test(arguments: [
        (LiveStream.Status.starting, false, false, RecordingState.initialised),
        (.starting, true, false, .paused), (.running, false, false, .started),
        (.running, true, true, .paused), (.running, false, true, .resumed),
        (.stopping, false, false, .started), (.postProcessing, false, true, .stopped),
        (.completed, false, false, .stopped), (.failed, false, false, .failed),
    ])
    func peersAreShownTheRecordingsState(
        status: LiveStream.Status, isPaused: Bool, hasResumed: Bool, state: RecordingState
    ) {
        let stream = recorded("1", status, isPaused: isPaused, hasResumed: hasResumed)
        let shown = HLSState([stream]).recording
        #expect(
            shown
                == HLSRecording(
                    state: state, hlsVOD: true, singleFilePerLayer: true,
                    initialisedAt: UnixTime(milliseconds: 1500),
                    startedAt: status == .starting ? nil : UnixTime(milliseconds: 2500),
                    startedBy: "ann"))
        #expect(RoomRecording(stream).startedBy == "ann")
        #expect(RoomRecording(recorded("2", status)).startedBy == nil)
    }

    @Test func ofSeveralRecordingsTheNewestThatGoesOnIsShown() {
        let streams = [recorded("1", .running), recorded("2", .running), recorded("3", .completed)]
        #expect(HLSState(streams).recording?.hlsVOD == false)
        #expect(HLSState([streams[0], streams[2]]).recording?.hlsVOD == true)
        #expect(HLSState([streams[2]]).recording?.state == .stopped)
    }
}

@Suite struct SettledChangeTests {
    /// Whether each look at a value tells of a change.
    private func looks(_ change: inout SettledChange<Int>, at values: Int...) -> [Bool] {
        values.map { change.look($0) }
    }

    @Test func aChangeIsToldOnceAndOnlyWhenItHasSettled() {
        var change = SettledChange(from: 1)
        let told = looks(&change, at: 1, 2, 3, 3, 3)
        #expect(told == [false, false, false, true, false])
    }

    @Test func whatComesBackOrIsTakenIsNoChange() {
        var change = SettledChange(from: 1)
        let first = looks(&change, at: 2, 1, 1)
        #expect(first == [false, false, false])
        change.take(4)
        let second = looks(&change, at: 4, 4, 1, 1)
        #expect(second == [false, false, false, true])
    }
}
