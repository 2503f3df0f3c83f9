import AsyncHTTPClient
import Foundation
import MediaClient
import MediaKernel
import NIOCore
import PeerConnection
import RemoteRoom
import SDP

/// A peer of a Janus VideoRoom, using its HTTP interface: one handle publishes, another one
/// subscribes to all peers (multistream, Janus 1.x).
struct JanusAttendance: Attendance {
    /// `http://host:port/janus`.
    let endpoint: String
    let room: Int
    let group: any EventLoopGroup
    let http: HTTPClient

    /// The measured clients have a data channel, like browsers.
    private static let channel = ChannelFormat(label: "JanusDataChannel")

    func attend(
        _ member: Member, makeObserver: @escaping @Sendable () -> any ClientMediaObserver,
        joined: @escaping @Sendable () -> Void
    ) async throws {
        let loop = group.next()
        let media = try await ClientMedia.open(
            on: loop, configuration: ClientMedia.Configuration(channel: Self.channel),
            makeObserver: makeObserver, stateChanged: { _, _ in })
        do {
            try await stay(member, with: media, on: loop, joined: joined)
        } catch {
            await media.stop()
            throw error
        }
    }

    private func stay(
        _ member: Member, with media: NIOLoopBound<ClientMedia>, on loop: any EventLoop,
        joined: @escaping @Sendable () -> Void
    ) async throws -> Never {
        let session = try await JanusSession.create(endpoint: endpoint, http: http)
        let publisher = try await session.attach("janus.plugin.videoroom")
        let subscriber = try await session.attach("janus.plugin.videoroom")
        var visit = Visit(
            room: room, member: member, media: media, loop: loop, session: session,
            publisher: publisher, subscriber: subscriber, joined: joined)
        try await visit.begin()
        while true {
            try Task.checkCancellation()
            for event in try await session.events() { try await visit.take(event) }
        }
    }
}

/// The course of one peer's attendance.
private struct Visit {
    let room: Int
    let member: Member
    let media: NIOLoopBound<ClientMedia>
    let loop: any EventLoop
    let session: JanusSession
    let publisher: Int64
    let subscriber: Int64
    let joined: @Sendable () -> Void
    /// Feeds that have not been requested yet.
    private var wanted: [Int64] = []
    private var hasSubscription = false
    private var isAsking = false

    init(
        room: Int, member: Member, media: NIOLoopBound<ClientMedia>, loop: any EventLoop,
        session: JanusSession, publisher: Int64, subscriber: Int64,
        joined: @escaping @Sendable () -> Void
    ) {
        self.room = room
        self.member = member
        self.media = media
        self.loop = loop
        self.session = session
        self.publisher = publisher
        self.subscriber = subscriber
        self.joined = joined
    }

    private func onMedia<Result: Sendable>(
        _ body: @escaping @Sendable (ClientMedia) throws -> Result
    ) async throws -> Result {
        try await media.run(body)
    }

    func begin() async throws {
        try await session.send(
            .object([
                "request": "join", "ptype": "publisher", "room": .integer(Int64(room)),
                "display": .string("Peer \(member.index)"),
            ]), to: publisher)
    }

    mutating func take(_ event: JSONValue) async throws {
        if event["janus"]?.text == "hangup" || event["janus"]?.text == "detached" {
            throw JanusError(message: "a connection was lost: \(event)")
        }
        guard let data = event["plugindata"]?["data"] else { return }
        if let error = data["error"]?.text { throw JanusError(message: error) }
        let feeds = (data["publishers"]?.list ?? []).compactMap { $0["id"]?.integer }
        if event["sender"]?.integer == publisher {
            try await published(data, answer: event["jsep"]?["sdp"]?.text)
        } else {
            try await subscribed(data, offer: event["jsep"]?["sdp"]?.text)
        }
        wanted += feeds
        try await ask()
    }

    private func published(_ data: JSONValue, answer: String?) async throws {
        if data["videoroom"]?.text == "joined" {
            let tracks = member.tracks.map(\.media)
            let offer = try await onMedia { try $0.publishOffer(tracks: tracks) }
            try await session.send(
                .object(["request": "configure", "audio": true, "video": true]), to: publisher,
                description: ("offer", offer.rendered()))
        }
        if let answer {
            let answer = try SessionDescription.parse(answer)
            try await onMedia { try $0.publishAnswer(answer) }
            joined()
        }
    }

    private mutating func subscribed(_ data: JSONValue, offer: String?) async throws {
        if let offer {
            let offer = try SessionDescription.parse(offer)
            let answer = try await onMedia { try $0.subscribeOffer(offer) }
            try await session.send(
                .object(["request": "start"]), to: subscriber,
                description: ("answer", answer.rendered()))
        }
        // "updating" means that another "updated" will follow.
        if data["started"] != nil || (data["videoroom"]?.text == "updated" && offer == nil) {
            isAsking = false
        }
    }

    private mutating func ask() async throws {
        guard !isAsking, !wanted.isEmpty else { return }
        let streams = JSONValue.array(wanted.map { .object(["feed": .integer($0)]) })
        wanted = []
        isAsking = true
        var request: [String: JSONValue] = ["streams": streams]
        if hasSubscription {
            request["request"] = "subscribe"
        } else {
            hasSubscription = true
            request["request"] = "join"
            request["ptype"] = "subscriber"
            request["room"] = .integer(Int64(room))
            request["use_msid"] = true
        }
        try await session.send(.object(request), to: subscriber)
    }
}
