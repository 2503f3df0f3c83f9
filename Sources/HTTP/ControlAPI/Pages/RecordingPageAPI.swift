import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import Signing
import Streams
import Tokens

/// The data of the recordings page, `/api/recordings`: recordings with their assets and links, in
/// one answer; what is known of one; and links to it for others.
///
/// Needs a management token, or a token for looking at recordings, since a link is as good as the
/// file; none with the development key, with which anyone on the machine can make one.
struct RecordingPageAPI: Sendable {
    let keeper: RecordingKeeper
    let authority: TokenAuthority
    let endpoints: Endpoints
    let isOpen: Bool
    let clock: @Sendable () -> UnixTime

    private static let searchBytesMaximum = 256
    /// The most people of a session that are named.
    private static let peopleMaximum = 100
    /// What whoever has a link may see: not what was written and said in the room.
    private static let sharedKinds: Set<CatalogueAsset.Kind> = [.roomComposite, .roomVOD]

    func add(to router: Router<some RequestContext>) {
        let group = router.managed(
            "/api/recordings", by: authority, isOpen: isOpen, isForReaders: true, clock: clock)
        group.get("") { request, _ in try await list(request) }
        group.get("/:recording") { _, context in
            JSON.response(try await details(context.parameters.get("recording")))
        }
        group.get("/:recording/link") { request, context in
            try await link(request, to: context.parameters.get("recording"))
        }
        group.patch("/:recording") { request, context in
            let recording = context.parameters.get("recording")
            try await keeper.rename(recording, request)
            return JSON.response(try await details(recording))
        }
        group.delete("/:recording") { request, context in
            try await NoBody.check(request)
            try await keeper.delete(context.parameters.get("recording"))
            return Response(status: .noContent)
        }
        router.get("/api/shared/:link") { _, context in
            JSON.response(try await shared(context.parameters.get("link")).card)
        }
    }

    private var library: RecordingLibrary { keeper.library }
    private var notes: RecordingNotes { RecordingNotes(library.catalogue) }

    private struct List: Encodable {
        var limit: Int
        var data: [RecordingCard]
        var last: String
        /// Whether the caller may name and delete recordings.
        var mayChange: Bool

        enum CodingKeys: String, CodingKey {
            case limit, data, last
            case mayChange = "may_change"
        }
    }

    private func list(_ request: Request) async throws -> Response {
        let query = try CatalogueQuery<LiveStream.Status>(request)
        let page = try await notes.recordings(query, matching: try Self.search(request))
        return JSON.response(
            List(
                limit: query.limit, data: try await cards(page.records), last: page.last ?? "",
                mayChange: mayChange(request)))
    }

    private func cards(_ records: [CatalogueStream]) async throws -> [RecordingCard] {
        let assets = try await library.catalogue.assets(of: records.map(\.id))
        let notes = try await notes.notes(of: records.map(\.id))
        let now = clock()
        var cards: [RecordingCard] = []
        for record in records {
            // For unfinished streams the control has newer data.
            let live = record.status.isFinal ? nil : try await keeper.control.stream(record.id)
            cards.append(
                RecordingCard(
                    record, name: notes[record.id]?.name, live: live,
                    assets: (assets[record.id] ?? []).map { asset in
                        RecordingCard.Asset(asset, link: library.link(to: asset, at: now))
                    }))
        }
        return cards
    }

    private static func search(_ request: Request) throws(APIError) -> RecordingSearch {
        let parameters = ListParameters(request)
        let text = try parameters.text("search") { $0.utf8.count <= searchBytesMaximum }
        return RecordingSearch(
            text: text.flatMap { $0.isEmpty ? nil : $0 },
            room: text.flatMap { RoomName.id(of: $0) },
            from: try parameters.time("after"), to: try parameters.time("before"))
    }

    private func mayChange(_ request: Request) -> Bool {
        guard request.headers[.authorization] != nil else { return isOpen }
        let caller = try? ManagementCaller(
            token: BearerToken.read(request), authority: authority, at: clock())
        return caller == .manager
    }

    // MARK: - One recording

    private func details(_ id: String?) async throws -> RecordingDetails {
        let (record, _) = try await keeper.recording(id)
        guard let card = try await cards([record]).first else { throw APIError.internal() }
        let stream = try await keeper.control.stream(record.id)
        var session: CatalogueSession?
        if let id = record.session {
            session = try await library.catalogue.session(
                id, attendancesMaximum: Self.peopleMaximum)
        }
        let uploads = try await library.catalogue.uploads(of: card.assets.map(\.id))
        return RecordingDetails(card: card, stream: stream, session: session, uploads: uploads)
    }

    private struct Link: Encodable {
        var url: String
        var expiresAt: String

        enum CodingKeys: String, CodingKey {
            case url
            case expiresAt = "expires_at"
        }
    }

    private func link(_ request: Request, to id: String?) async throws -> Response {
        let range = RecordingLibrary.linkLifetimes
        let seconds =
            try ListParameters(request).count("seconds")
            ?? Int(RecordingLibrary.linkLifetime.inSeconds)
        guard range.contains(seconds) else {
            throw APIError.badRequest(
                "seconds is not valid", "\(range.lowerBound) to \(range.upperBound)")
        }
        let (record, _) = try await keeper.recording(id)
        let expiry = clock() + .seconds(seconds)
        guard let path = library.pageLink(to: record.id, until: expiry) else {
            throw APIError.internal()
        }
        return JSON.response(
            Link(
                url: endpoints.base(for: request) + path,
                expiresAt: UnixTime(seconds: expiry.seconds).description))
    }

    // MARK: - What others see

    /// The recording that a link is for, with the addresses of its picture.
    ///
    /// - Throws: 403, 404, 410.
    func shared(_ link: String?) async throws -> (card: RecordingCard, expiry: UnixTime) {
        let now = clock()
        let verified: AssetLink
        do throws(AssetLink.Refusal) {
            verified = try library.pageLink(verifying: link ?? "", at: now)
        } catch {
            throw APIError.refusedLink(error)
        }
        let (record, note) = try await keeper.recording(verified.asset)
        let assets =
            try await library.catalogue.assets(of: [record.id])[record.id, default: []]
            .filter { Self.sharedKinds.contains($0.kind) }
        guard assets.isEmpty || assets.contains(where: { $0.status != .expired }) else {
            throw APIError.recordingGone("the recording has expired")
        }
        let lifetime = Duration.seconds(verified.expiry.seconds - now.seconds)
        let card = RecordingCard(
            record, name: note.name, live: nil,
            assets: assets.map { asset in
                RecordingCard.Asset(
                    asset, link: library.link(to: asset, at: now, lifetime: lifetime))
            })
        return (card, verified.expiry)
    }
}
