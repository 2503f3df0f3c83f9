import HTTPTypes
import Hummingbird
import Logging
import MediaKernel
import Rooms
import Streams

/// The data of the operator's page that the control API lacks, `/admin/api/…`, for whoever is logged in
/// there.
struct AdminRoutes: Sendable {
    let control: any AdminControl
    let door: AdminDoor
    let history: FigureHistory
    let gateway: any SignallingGateway & RoomControl
    let streams: any LiveStreamControl
    let census: ViewerCensus

    func add(to router: Router<some RequestContext & RemoteAddressRequestContext>) {
        let session = router.group("\(AdminPath.api)/session")
        session.get("") { request, _ in
            JSON.response(
                SessionBody(state: try await door.state(for: request), version: Version.current))
        }
        session.post("") { request, context in
            let caller = GuessGate.caller(of: request.headers, from: context.remoteAddress)
            return try await enter(request, from: caller, logger: context.logger)
        }
        session.delete("") { request, _ in
            JSON.response(
                SessionBody(state: .closed, version: Version.current),
                headers: [.setCookie: try door.leave(request)])
        }
        let group = router.group(RouterPath(AdminPath.api))
            .add(middleware: AdminGuard(door: door))
            .add(middleware: QueryCheck())
        group.get("/overview") { _, _ in try await overview() }
        group.get("/streams") { _, _ in
            let streams = await control.streams()
            return JSON.response(
                ["data": streams.map { WatchedStreamBody($0, viewers: viewers(of: $0)) }])
        }
        group.get("/rooms") { _, _ in JSON.response(["data": await rooms()]) }
        group.get("/uploads") { _, _ in
            JSON.response(WatchedUploadsBody(uploads: try await control.uploads()))
        }
        group.get("/log") { request, _ in try log(request) }
        group.get("/settings") { _, _ in JSON.response(control.settings) }
        group.get("/history") { _, _ in JSON.response(["data": history.all]) }
    }

    // MARK: Session

    private struct SessionBody: Encodable {
        var state: AdminDoor.State
        var version: String
    }

    /// Of a login's body, in bytes.
    private static let loginBytesMaximum = 4096

    private func enter(
        _ request: Request, from caller: GuessGate.Caller, logger: Logger
    ) async throws(APIError) -> Response {
        // First: another site's page may not even have its body read.
        try door.checkOrigin(request)
        let login = try await JSON.decode(
            AdminLogin.self, from: request, maximum: Self.loginBytesMaximum)
        let cookie = try await door.enter(login.password, request, from: caller, logger: logger)
        return JSON.response(
            SessionBody(state: .open, version: Version.current), headers: [.setCookie: cookie])
    }

    // MARK: Figures

    private struct OverviewBody: Encodable {
        var version: String
        var machine: MachineFigures
        var streams: Int
        var rooms: Int
        var peers: Int
        var viewers: Int
        /// Why no new callers are taken; empty if all is well.
        var faults: [String]
    }

    private func overview() async throws -> Response {
        let rooms = await gateway.rooms()
        var faults: [String] = []
        if await streams.isShuttingDown { faults.append("The server is shutting down.") }
        do throws(LiveStreamError) {
            try await streams.checkStorage()
        } catch {
            faults.append("A directory of streams or recordings was deleted or replaced.")
        }
        return JSON.response(
            OverviewBody(
                version: Version.current, machine: await control.machine(),
                streams: await control.streams().count { $0.stream.status.isOnAir },
                rooms: rooms.count, peers: rooms.reduce(0) { $0 + $1.peerCount },
                viewers: census.total, faults: faults))
    }

    private func viewers(of watched: WatchedStream) -> ViewerCensus.Count {
        census.count(
            of: watched.stream.id.rawValue, in: watched.stream.room.rawValue)
    }

    // MARK: Rooms

    /// The most rooms that are told with their peers.
    private static let roomsMaximum = 200

    private func rooms() async -> [AdminRoomBody] {
        var bodies: [AdminRoomBody] = []
        let fullest = await gateway.rooms().sorted {
            ($1.peerCount, $0.id) < ($0.peerCount, $1.id)
        }
        for summary in fullest.prefix(Self.roomsMaximum) {
            let room = await gateway.activeRoom(summary.id)
            bodies.append(AdminRoomBody(summary, room))
        }
        return bodies
    }

    // MARK: Log

    private static let linesPerAnswer = 1...500
    private static let searchBytesMaximum = 200

    private struct LogBody: Encodable {
        var data: [LogRing.Line]
        /// The number of the newest line, for `after`.
        var last: Int
    }

    private func log(_ request: Request) throws(APIError) -> Response {
        let parameters = ListParameters(request)
        var query = LogRing.Query()
        query.after = try parameters.count("after") ?? query.after
        query.level = try parameters.choice("level") ?? query.level
        query.text =
            try parameters.text("text") { $0.utf8.count <= Self.searchBytesMaximum } ?? query.text
        query.stream =
            try parameters.text("stream") { $0.utf8.count <= Self.searchBytesMaximum }
            ?? query.stream
        if let limit = try parameters.count("limit") {
            guard Self.linesPerAnswer.contains(limit) else {
                throw .badRequest(
                    "limit is not valid",
                    "\(Self.linesPerAnswer.lowerBound) to \(Self.linesPerAnswer.upperBound)")
            }
            query.limit = limit
        }
        let (lines, last) = control.log.lines(query)
        return JSON.response(LogBody(data: lines, last: last))
    }
}

/// Admits only requests of the operator's page that is logged in.
struct AdminGuard<Context: RequestContext>: RouterMiddleware {
    let door: AdminDoor

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try await door.check(request)
        return try await next(request, context)
    }
}

struct AdminLogin: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    var password: String

    enum CodingKeys: String, CodingKey, CaseIterable { case password }
}
