import MediaKernel
import Testing
import XML
import XMPP

@testable import Jibri

/// What Jicofo's sessions do (jitsi/jicofo, `JibriSession`, `JibriDetector`, and the cases of
/// `JibriSessionTest`), and what a slot does then.
@Suite struct BrewerySlotTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let jicofo: String
        var isSingleUse = false
        let steps: [(fact: String, orders: String)]

        var testDescription: String { jicofo }
    }

    private static let begun: [(String, String)] = [
        ("joined", "show idle"), ("start a", "admit a"),
        ("yes a", "answer pending, begin a, show busy"),
    ]
    private static let running = begun + [("runs a", "tell on")]

    static let rows: [Row] = [
        Row(
            jicofo: "starts a session and stops it, without waiting for an answer",
            steps: running + [
                ("stop a", "end a stopped"), ("closed a", "answer off, show idle"),
                ("start b", "admit b"),
            ]),
        Row(
            jicofo: "tries another recorder after 'busy' (JibriSessionTest: a busy Jibri)",
            steps: running + [("start b", "answer busy"), ("stop a", "end a stopped")]),
        Row(
            jicofo: "tries another recorder when this one has no room after all",
            steps: [
                ("joined", "show idle"), ("start a", "admit a"), ("no a", "answer busy"),
                ("start b", "admit b"),
            ]),
        Row(
            jicofo: "does not ask a recorder that shows that it is busy, but may have asked before",
            steps: [
                ("joined", "show idle"), ("full", "show busy"), ("start a", "answer busy"),
                ("free", "show idle"), ("start a", "admit a"),
            ]),
        Row(
            jicofo: "has only one recorder, and gives up after its retries (JibriSessionTest)",
            steps: [
                ("joined", "show idle"), ("full", "show busy"), ("start a", "answer busy"),
                ("start a", "answer busy"), ("start a", "answer busy"), ("free", "show idle"),
            ]),
        Row(
            jicofo: "asks another recorder after an error of XMPP, which no start of its gets here",
            steps: [
                ("joined", "show idle"), ("start a", "admit a"),
                ("yes a", "answer pending, begin a, show busy"),
            ]),
        Row(
            jicofo: "does not ask a recorder that is unhealthy",
            steps: [("joined", "show idle"), ("sick", "show idle sick"), ("well", "show idle")]),
        Row(
            jicofo: "forgets a failure when it sees 'idle' again (JibriDetectorTest)",
            steps: running + [
                ("fails a noMedia", "tell error retry"), ("closed a", "show idle"),
            ]),
        Row(
            jicofo: "gets no answer to a start, stops it, and asks again: the only recorder left",
            steps: [
                ("joined", "show idle"), ("start a", "admit a"),
                ("stop a", "answer error final, answer off"), ("start a", "admit a"),
                ("yes a", "answer pending, begin a, show busy"),
            ]),
        Row(
            jicofo: "has stopped what was not admitted yet: the place goes back",
            steps: [
                ("joined", "show idle"), ("start a", "admit a"),
                ("stop a", "answer error final, answer off"), ("yes a", "end a stopped"),
                ("no a", ""), ("closed a", ""),
            ]),
        Row(
            jicofo: "lost the answer to a start, and asks again while admission runs",
            steps: [
                ("joined", "show idle"), ("start a", "admit a"), ("start a", ""),
                ("yes a", "answer pending, answer pending, begin a, show busy"),
            ]),
        Row(
            jicofo: "lost the answer to a start, and asks again while the recording starts",
            steps: begun + [("start a", "answer pending"), ("runs a", "tell on")]),
        Row(
            jicofo: "lost the answer to a start, and asks again while the recording runs",
            steps: running + [("start a", "answer pending, tell on"), ("stop a", "end a stopped")]),
        Row(
            jicofo: "waits 90 s for 'on', stops, and takes the session as failed",
            steps: begun + [
                ("stop a", "end a stopped"), ("runs a", ""), ("start a", "answer busy"),
                ("closed a", "answer off, show idle"),
            ]),
        Row(
            jicofo: "stops before the recording runs",
            steps: begun + [("stop a", "end a stopped"), ("closed a", "answer off, show idle")]),
        Row(
            jicofo: "stops twice",
            steps: running + [
                ("stop a", "end a stopped"), ("stop a", ""),
                ("closed a", "answer off, answer off, show idle"),
            ]),
        Row(
            jicofo: "would not ask nine times: what more comes is answered at once",
            steps: [("joined", "show idle"), ("start a", "admit a")]
                + Array(repeating: ("start a", ""), count: 7) + [
                    ("start a", "answer busy"),
                    (
                        "yes a",
                        String(repeating: "answer pending, ", count: 8) + "begin a, show busy"
                    ),
                ]
                + Array(repeating: ("stop a", ""), count: 8).enumerated().map {
                    $0.offset == 0 ? ("stop a", "end a stopped") : $0.element
                } + [("stop a", "answer off")]),
        Row(
            jicofo: "stops what ended by itself at the same time",
            steps: running + [
                ("ends a", "tell off"), ("stop a", ""), ("closed a", "answer off, show idle"),
            ]),
        Row(
            jicofo: "stops an earlier session too late: the new one goes on",
            steps: running + [("stop z", "answer off"), ("ends a", "tell off")]),
        Row(
            jicofo: "stops without naming a session (before 2018)",
            steps: running + [("stop", "end a stopped"), ("closed a", "answer off, show idle")]),
        Row(
            jicofo: "stops where nothing is recorded",
            steps: [("joined", "show idle"), ("stop a", "answer off"), ("stop", "answer off")]),
        Row(
            jicofo: "ends the session after 'off' without a failure",
            steps: running + [("ends a", "tell off"), ("closed a", "show idle")]),
        Row(
            jicofo: "ends the session if the call was empty before the recording ran",
            steps: begun + [("ends a", "tell off"), ("closed a", "show idle")]),
        Row(
            jicofo: "tries another recorder after a failure with should_retry",
            steps: begun + [
                ("fails a noMedia", "tell error retry"), ("start a", "answer busy"),
                ("closed a", "show idle"),
            ]),
        Row(
            jicofo: "tells the moderator after a failure without should_retry",
            steps: begun + [("fails a encrypted", "tell error final"), ("closed a", "show idle")]),
        Row(
            jicofo: "does not choose a recorder again whose disk failed",
            steps: running + [
                ("fails a disk", "tell error retry, show busy sick"),
                ("closed a", "show idle sick"),
                ("well", "show idle"),
            ]),
        Row(
            jicofo: "tells the moderator that a stream's address is refused, and asks nobody else",
            steps: begun + [("fails a target", "tell error final")]),
        Row(
            jicofo: "sees the recorder go offline, and has started another one: the file is kept",
            steps: running + [
                ("lost", "end a connectionLost"), ("ends a", ""), ("joined", "show busy"),
                ("start b", "answer busy"), ("closed a", "show idle"),
            ]),
        Row(
            jicofo: "sees the recorder go offline while it starts",
            steps: begun + [
                ("lost", "end a connectionLost"), ("runs a", ""), ("closed a", ""),
                ("joined", "show idle"),
            ]),
        Row(
            jicofo: "sees the recorder go offline before it answered",
            steps: [
                ("joined", "show idle"), ("start a", "admit a"), ("lost", ""),
                ("yes a", "end a stopped"), ("joined", "show idle"),
            ]),
        Row(
            jicofo: "cannot get the answer to a stop over a lost connection",
            steps: running + [
                ("stop a", "end a stopped"), ("lost", ""), ("closed a", ""),
                ("joined", "show idle"),
            ]),
        Row(
            jicofo: "has given the session to another slot",
            steps: running + [
                ("superseded z", ""), ("superseded a", "end a superseded"),
                ("closed a", "show idle"),
            ]),
        Row(
            jicofo: "has given the session to another slot before this one answered",
            steps: [
                ("joined", "show idle"), ("start a", "admit a"),
                ("superseded a", "answer error final"),
            ]),
        Row(
            jicofo: "does not know why a recording is gone: tries another recorder",
            steps: running + [("closed a", "tell error retry, show idle")]),
        Row(
            jicofo: "is not troubled by facts of other sessions",
            steps: running + [
                ("runs z", ""), ("ends z", ""), ("closed z", ""), ("no z", ""), ("yes a", ""),
                ("stop a", "end a stopped"),
            ]),
        Row(
            jicofo: "sees 'busy' of a recorder that is to leave; its recording goes on",
            steps: running + [
                ("leave", ""), ("start b", "answer busy"), ("ends a", "tell off"),
                ("closed a", "leave"),
            ]),
        Row(
            jicofo: "asks a recorder that is about to leave",
            steps: [
                ("joined", "show idle"), ("start a", "admit a"), ("leave", "show busy"),
                ("no a", "answer busy, leave"),
            ]),
        Row(
            jicofo: "sees a recorder leave that records nothing",
            steps: [("joined", "show idle"), ("leave", "leave, show busy")]),
        Row(
            jicofo: "does not choose a recorder of single use again", isSingleUse: true,
            steps: running + [
                ("stop a", "end a stopped"), ("closed a", "answer off"), ("start b", "answer busy"),
                ("stop a", "answer off"), ("leave", "leave"),
            ]),
        Row(
            jicofo: "is one of two: the slot is busy for both, and each loses only its own",
            steps: [
                ("joined", "show idle"), ("joined@1", "show idle@1"), ("start a@1", "admit a@1"),
                ("yes a", "answer pending@1, begin a@1, show busy, show busy@1"),
                ("start b", "answer busy"), ("start a", "answer busy"), ("lost", ""),
                ("runs a", "tell on@1"), ("lost@1", "end a connectionLost"),
                ("joined", "show busy"),
                ("closed a", "show idle"),
            ]),
    ]

    @Test(arguments: rows) func aSlotDoes(row: Row) {
        var slot = BrewerySlot(
            breweries: [Script.brewery, Script.brewery], isSingleUse: row.isSingleUse)
        for (index, step) in row.steps.enumerated() {
            guard let fact = Script.fact(step.fact) else {
                Issue.record("\(step.fact)")
                return
            }
            let orders = Script.words(slot.handle(fact))
            #expect(orders == step.orders, "step \(index + 1): \(step.fact)")
        }
    }

    /// Each start and stop has one answer at last, and no more; what has begun is ended or has ended
    /// by itself, and the slot is free again.
    @Test func whateverComesEachRequestHasOneAnswer() {
        var random = SeededRandom(seed: 7)
        let words = [
            "joined", "start a", "start b", "stop a", "stop b", "stop", "yes a", "yes b", "no a",
            "runs a", "runs b", "ends a", "fails b noMedia", "closed a", "closed b", "full", "free",
            "superseded a",
        ]
        for _ in 0..<2000 {
            var slot = BrewerySlot(breweries: [Script.brewery])
            var (asked, answered) = (0, 0)
            var recorded: Set<String> = []
            func take(_ word: String) {
                guard let fact = Script.fact(word) else { return }
                if case .asked = fact { asked += 1 }
                switch fact {
                case .ended(let session, _), .closed(let session): recorded.remove(session)
                default: break
                }
                for order in slot.handle(fact) {
                    switch order {
                    case .answer: answered += 1
                    case .begin(let start, _):
                        #expect(recorded.isEmpty)
                        recorded.insert(start.session)
                    case .end(let session, _): recorded.remove(session)
                    default: break
                    }
                }
                #expect(answered <= asked)
            }
            for _ in 0..<30 { take(words.randomElement(using: &random) ?? "") }
            for word in ["stop", "closed a", "closed b"] { take(word) }
            #expect(answered == asked && recorded.isEmpty)
            #expect(slot.session == nil && !slot.isExpired)
        }
    }

    @Test(arguments: [
        nil, "brewery@internal.example", "other@internal.example/focus", "jibri@auth.example/x",
    ])
    func onlyOccupantsOfTheBreweryMayAsk(from: String?) {
        var slot = BrewerySlot(breweries: [Script.brewery])
        let request = Script.request(["action": "stop"], from: from)
        guard case .answer(let stanza, _) = slot.handle(.asked(request, server: 0)).first else {
            Issue.record("no answer")
            return
        }
        let isOccupant = from == "brewery@internal.example"
        #expect(stanza["type"] == (isOccupant ? "result" : "error"))
        #expect(isOccupant || StanzaError(of: stanza).condition == "not-allowed")
    }
}
