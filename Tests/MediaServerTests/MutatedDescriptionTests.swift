import ICE
import MediaKernel
import PeerConnection
import RTP
import SDP
import SecureTransport
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    /// Descriptions that no browser would write, processed by a room.
    @Suite struct MutatedDescriptionTests {
        @Test(arguments: BrowserOffer.allCases)
        func noOfferHarmsARoom(browser: BrowserOffer) async throws {
            let room = try await DescribedRoom.open()
            var random = SeededRandom(seed: 30)
            var answered = 0
            for _ in 0..<150 {
                if try room.enter(mutated(browser.text, &random)) { answered += 1 }
                try await room.watch(for: .milliseconds(300))
                room.leave()
            }
            #expect(answered > 15)
            let isAnswered = try room.enter(browser.text)
            try await room.watch(for: .milliseconds(500))
            #expect(isAnswered)
            #expect(room.watched == [TrackID(BrowserOffer.sound), TrackID(BrowserOffer.video)])
        }

        @Test func noAnswerHarmsARoom() async throws {
            let room = try await DescribedRoom.open()
            _ = try room.enter(BrowserOffer.chromium.text)
            var random = SeededRandom(seed: 31)
            var taken = 0
            for _ in 0..<100 {
                try await room.comeAgain()
                try await room.watch(for: .milliseconds(500)) {
                    repeatably($0) { mutated($0, &random) }
                }
                if !room.watched.isEmpty { taken += 1 }
            }
            #expect(taken > 5)
            try await room.comeAgain()
            try await room.watch(for: .milliseconds(500))
            #expect(room.watched == [TrackID(BrowserOffer.sound), TrackID(BrowserOffer.video)])
        }

        /// Its bit rate is that of its first layer.
        @Test func aSoundInNoFormIsASoundInOne() async throws {
            let room = try await DescribedRoom.open()
            let text = BrowserOffer.chromium.text.replacing(
                "a=ssrc:1766271539 cname", with: "a=ssrc-group:SIM\r\na=ssrc:1766271539 cname")
            let isAnswered = try room.enter(text)
            try await room.watch(for: .milliseconds(200))
            #expect(isAnswered && room.watched.contains(TrackID(BrowserOffer.sound)))
            #expect(room.track(BrowserOffer.sound)?.encodings.count == 1)
        }

        /// A peer that may send only audio cannot send video under its name.
        @Test func ofTwoTracksOfOneIDTheFirstIsForwarded() async throws {
            let room = try await DescribedRoom.open()
            _ = try room.enter(
                BrowserOffer.chromium.text.replacing(BrowserOffer.video, with: BrowserOffer.sound))
            let track = try #require(room.track(BrowserOffer.sound))
            #expect(track.codec == .opus && track.incoming.kind == .audio)
        }
    }
}

/// The text with one to three of its lines changed.
private func mutated(_ text: String, _ random: inout SeededRandom) -> String {
    var lines = text.split(whereSeparator: \.isNewline).map { String($0) }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: lines.indices, using: &random)
        let line = lines[place]
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            lines.remove(at: place)
        case 1:
            lines.insert(line, at: place)
        case 2:
            let other = Int.random(in: lines.indices, using: &random)
            lines.swapAt(place, other)
        case 3:
            lines[place] = String(line.prefix(Int.random(in: 0...line.count, using: &random)))
        case 4:
            let words = line.split(separator: " ")
            let kept = Int.random(in: 1...max(words.count, 1), using: &random)
            lines[place] = words.prefix(kept).joined(separator: " ")
        case 5:
            lines[place] = withNumber("0", in: line, &random)
        case 6:
            let huge = Bool.random(using: &random) ? "4294967295" : "99999999999999999999"
            lines[place] = withNumber(huge, in: line, &random)
        default:
            lines[place] = String(line.prefix { $0 != ":" }) + ":"
        }
    }
    return lines.map { $0 + "\r\n" }.joined()
}

/// The beginnings of lines with random contents, and their replacement while an answer is mutated:
/// otherwise each run would mutate other texts.
private let drawnLines: [String: String] = [
    "a=ice-ufrag:": "a=ice-ufrag:Ab1+Cd2/",
    "a=ice-pwd:": "a=ice-pwd:Ab1+Cd2/Ef3+Gh4/Ij5+Kl6/",
    "a=fingerprint:": "a=fingerprint:sha-256 0A" + String(repeating: ":0A", count: 31),
]

/// Changes the text the same way in each run. Unchanged random lines are restored.
private func repeatably(_ text: String, _ change: (String) -> String) -> String {
    var drawn: [String: String] = [:]
    let fixed = lines(of: text).map { line in
        guard let standIn = drawnLines.first(where: { line.hasPrefix($0.key) })?.value else {
            return line
        }
        drawn[standIn] = line
        return standIn
    }
    let changed = lines(of: change(fixed.joined(separator: "\r\n")))
    return changed.map { drawn[$0] ?? $0 }.joined(separator: "\r\n")
}

/// Including empty ones.
private func lines(of text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0) }
}

/// Replaces one of the line's numbers.
private func withNumber(
    _ number: String, in line: String, _ random: inout SeededRandom
) -> String {
    let numbers = line.split { !("0"..."9").contains($0) }
    guard let old = numbers.randomElement(using: &random) else { return line }
    return String(line[..<old.startIndex]) + number + String(line[old.endIndex...])
}

/// A room without sockets, driven by descriptions: one peer publishes and one watches, in fake
/// time.
private final class DescribedRoom {
    private var now = SimulatedRoom.beginning
    private let room: RoomForwarder
    private let loop: MediaLoop
    private let identity: DTLSIdentity
    private var events: AsyncStream<MediaEvent>.AsyncIterator
    /// The viewer publishes nothing.
    private let nothing: SessionDescription
    private var viewer: PeerConnection

    private init() throws {
        identity = try DTLSIdentity.generate()
        loop = .alone(identity)
        let (events, sink) = AsyncStream.makeStream(of: MediaEvent.self)
        self.events = events.makeAsyncIterator()
        room = loop.room(sink)
        nothing = try PeerConnection.describing(identity, channel: "ion-sfu", at: now).createOffer(
            at: now)
        viewer = PeerConnection.describing(identity, channel: nil, at: now)
    }

    /// A room with its viewer.
    static func open() async throws -> DescribedRoom {
        let room = try DescribedRoom()
        try room.come()
        try await room.watch(for: .milliseconds(20))
        return room
    }

    private func come() throws {
        viewer = PeerConnection.describing(identity, channel: nil, at: now)
        try room.addPeer("viewer", at: now)
        _ = try room.publishOffer(nothing, from: "viewer", at: now)
    }

    /// The viewer leaves, and returns with new connections. The last offer to the old ones does not
    /// concern these.
    func comeAgain() async throws {
        room.removePeer("viewer", at: now)
        _ = await offered()
        try come()
        subscribe()
    }

    /// The publisher joins and offers. Returns whether the offer was answered.
    func enter(_ text: String) throws -> Bool {
        try room.addPeer("ann", at: now)
        guard let offer = try? SessionDescription.parse(text),
            let answer = try? room.publishOffer(offer, from: "ann", at: now)
        else { return false }
        _ = answer.rendered()
        subscribe()
        return true
    }

    func leave() { room.removePeer("ann", at: now) }

    /// The viewer requests all tracks, over a path that has to be shared.
    private func subscribe() {
        room.setSubscriptions(
            PeerSubscriptions(
                peer: "viewer",
                tracks: room.tracks.values.map {
                    WantedTrack(id: $0.id, publisher: $0.publisher, isVideo: $0.codec.isVideo)
                },
                bitsPerSecondMaximum: 500_000),
            at: now)
    }

    func track(_ id: String) -> ForwardedTrack? { room.tracks[TrackKey(TrackID(id), of: "ann")] }

    /// The tracks that go to the viewer.
    var watched: Set<TrackID> {
        Set(room.tracks.values.filter { $0.subscriptions["viewer"] != nil }.map(\.id))
    }

    /// Lets time pass, and answers the viewer's offers.
    func watch(
        for duration: Duration, changing change: (String) -> String = { $0 }
    ) async throws {
        let end = now + duration
        while now < end {
            now += .milliseconds(20)
            room.tick(at: now)
            for offer in await offered() {
                let carried = try SessionDescription.parse(offer.rendered())
                answer(change(try viewer.answer(carried, at: now).rendered()))
            }
        }
    }

    private func answer(_ text: String) {
        guard let answer = try? SessionDescription.parse(text) else {
            room.answerRefused(from: "viewer", at: now)
            return
        }
        try? room.subscribeAnswer(answer, from: "viewer", at: now)
    }

    /// The viewer's offers since the last call.
    private func offered() async -> [SessionDescription] {
        room.emit(.activeSpeakers([]))
        var offers: [SessionDescription] = []
        while let event = await events.next() {
            switch event {
            case .subscribeOffer("viewer", let offer, _): offers.append(offer)
            case .activeSpeakers: return offers
            default: continue
            }
        }
        return offers
    }
}
