import HLS
import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore

/// How long the answers below one address may be kept.
struct EdgeCaching {
    /// Nil for an address that is not signed.
    let expiry: UnixTime?
    let now: UnixTime

    /// Of files that never change.
    var ofFiles: String { Origin.caching(until: expiry, at: now) }

    /// - Parameter isNamed: whether the request names a segment.
    func ofText(isNamed: Bool) -> EdgeText.Caching {
        expiry != nil ? .secret : isNamed ? .named : .newest
    }
}

/// The newest of low-latency streams, from memory.
extension Origin {
    /// Where a connection finds an answer without the routes.
    struct Found {
        enum Source {
            case edge(LiveEdges.Place, StreamEdge.Wish)
            case recent(RecentFiles.Content)
        }

        let source: Source
        let caching: EdgeCaching
        /// Of the file that the routes would open.
        let path: String
    }

    /// Nil for what only the routes can answer.
    ///
    /// - Parameter habits: of its connection.
    func found(_ request: HTTPRequest, _ habits: inout EdgeHabits) -> Found? {
        guard edges != nil || recent != nil, let whole = request.path,
            whole.hasPrefix(Self.prefix)
        else { return nil }
        // By bytes: finding characters takes several times as long as all the rest.
        let path = whole.utf8.dropFirst(Self.prefix.utf8.count)
            .prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let encoded = Substring(path)
        let name = encoded[path.index(after: slash)...]
        // The usual address is looked up as it is; a signed or an encoded one has to be read first.
        let isUsual =
            !encoded[..<slash].utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }
            && !name.utf8.contains(UInt8(ascii: "%"))
        if isUsual {
            return found(
                String(encoded), in: String(encoded[..<slash]), name: String(name), request,
                EdgeCaching(expiry: nil, now: UnixTime(nanoseconds: 0)), &habits)
        }
        let now = clock()
        guard let asked = OriginPath(encoded: encoded),
            let (path, expiry) = try? verified(asked, at: now)
        else { return nil }
        return found(
            path.joined, in: path.directory, name: path.name, request,
            EdgeCaching(expiry: expiry, now: now), &habits)
    }

    private func found(
        _ path: String, in directory: String, name: String, _ request: HTTPRequest,
        _ caching: EdgeCaching, _ habits: inout EdgeHabits
    ) -> Found? {
        guard let kind = OriginPath.Kind(ofFile: name) else { return nil }
        let isGzip = kind == .playlist && habits.allowsGzip(request)
        if let place = edges?.place(directory) {
            guard let wish = try? Self.wish(for: name, kind: kind, request, isGzip: isGzip) else {
                return nil
            }
            return Found(source: .edge(place, wish), caching: caching, path: path)
        }
        guard let recent else { return nil }
        let content = recent[RecentFiles.name(path, isGzip: isGzip)]
        return content.map { Found(source: .recent($0), caching: caching, path: path) }
    }

    /// What viewers fetched a moment ago of a low-latency stream's other files: all need its header.
    func kept(_ found: Found) -> RecentFiles.Content? {
        guard case .edge(_, .file) = found.source else { return nil }
        return recent?[found.path]
    }

    static let prefix = "/hls/"

    /// The end of an answer's head.
    func date() -> ByteBuffer { dates.line(clock()) }

    /// Waits for a playlist's next part, or for the part that it hints at.
    ///
    /// - Parameter channel: the wait ends with this connection.
    /// - Returns: nil for whatever is only on the disk.
    func live(
        _ path: OriginPath, _ request: Request, _ caching: EdgeCaching, on channel: (any Channel)?
    ) async throws(APIError) -> Response? {
        guard let place = edges?.place(path.directory),
            let wish = try Self.wish(
                for: path.name, kind: path.kind, request.head,
                isGzip: AcceptEncoding.allowsGzip(request.headers[values: .acceptEncoding]))
        else { return nil }
        var end: ConnectionEnd?
        if let channel { end = await ConnectionEnd.of(channel) }
        let answer = await withCheckedContinuation { [end] continuation in
            let outcome = place.edge.ask(
                wish, of: place.layer, receiver: { continuation.resume(returning: $0) })
            switch outcome {
            case .answer(let answer): continuation.resume(returning: answer)
            case .waits(let wait):
                let leave: @Sendable () -> Void = {
                    // Nobody receives it.
                    if place.edge.leave(wait) { continuation.resume(returning: .late) }
                }
                if let end {
                    end.whenOver(leave)
                } else {
                    channel?.closeFuture.whenComplete { _ in leave() }
                }
            }
        }
        end?.forget()
        let response = try Self.response(with: answer, to: wish, request.head, caching)
        return response.map { Response($0) }
    }

    /// Nil for what is never in memory.
    ///
    /// - Throws: 400.
    static func wish(
        for name: String, kind: OriginPath.Kind, _ request: HTTPRequest, isGzip: Bool
    ) throws(APIError) -> StreamEdge.Wish? {
        guard kind == .playlist else { return .file(name) }
        guard name == LiveEdges.playlistName else { return nil }
        let path = request.path ?? ""
        let query = path.firstIndex(of: "?").map { path[path.index(after: $0)...] } ?? ""
        do throws(ReloadRequest.Fault) {
            return .playlist(
                try ReloadRequest(query: query.prefix { $0 != "#" }), isGzip: isGzip)
        } catch {
            throw refusal(of: error)
        }
    }

    /// - Returns: nil for what is on the disk.
    static func response(
        with answer: StreamEdge.Answer, to wish: StreamEdge.Wish, _ request: HTTPRequest,
        _ caching: EdgeCaching
    ) throws(APIError) -> EdgeResponse? {
        switch answer {
        case .text(let text):
            return try response(with: text, isNamed: wish.isNamed, request, caching)
        case .file(let file): return try response(with: file, request, caching)
        case .refused(let fault): throw refusal(of: fault)
        case .gone: throw notFound
        case .late: throw late
        case .onDisk: return nil
        }
    }

    static func response(
        with content: RecentFiles.Content, _ request: HTTPRequest, _ caching: EdgeCaching
    ) throws(APIError) -> EdgeResponse {
        switch content {
        case .text(let text): try response(with: text, isNamed: false, request, caching)
        case .file(let file): try response(with: file, request, caching)
        }
    }

    private static func response(
        with text: EdgeText, isNamed: Bool, _ request: HTTPRequest, _ caching: EdgeCaching
    ) throws(APIError) -> EdgeResponse {
        let whole = text.whole(caching.ofText(isNamed: isNamed))
        guard request.isConditional, try !isWanted(Preconditions(request, tag: text.tag)) else {
            return whole
        }
        return EdgeResponse(status: .notModified, headers: whole.headers)
    }

    private static func response(
        with file: EdgeFile, _ request: HTTPRequest, _ caching: EdgeCaching
    ) throws(APIError) -> EdgeResponse {
        if caching.expiry == nil, !request.isConditional { return file.whole }
        var headers = file.headers
        headers[.cacheControl] = caching.ofFiles
        var answer = try Ranged(
            headers, request, modified: file.modified, length: Int64(file.bytes.readableBytes))
        guard let range = answer.range else {
            return EdgeResponse(status: answer.status, headers: answer.headers)
        }
        answer.headers[.contentLength] = String(range.count)
        let bytes = file.bytes.getSlice(
            at: file.bytes.readerIndex + Int(range.lowerBound), length: range.count)
        return EdgeResponse(
            status: answer.status, headers: answer.headers, body: bytes ?? ByteBuffer(),
            hold: file.hold)
    }

    private static func refusal(of fault: ReloadRequest.Fault) -> APIError {
        let detail =
            switch fault {
            case .malformed(let name): "\(name) is not valid"
            case .partWithoutSegment: "_HLS_part needs _HLS_msn"
            case .tooFarAhead: "that is too far ahead"
            }
        return withCORS(.badRequest("the playlist cannot be reloaded like this", detail))
    }

    /// draft-pantos-hls-rfc8216bis sect. 6.2.5.2.
    static let late: APIError = {
        var error = APIError.unavailable("it has not come in time", "ask again")
        error.headers[.retryAfter] = "1"
        return withCORS(error)
    }()
}

extension Response {
    /// In pieces, so that what a slow viewer has not taken yet stays counted.
    init(_ response: EdgeResponse) {
        let (body, hold) = (response.body, response.hold)
        guard hold != nil else {
            self.init(
                status: response.status, headers: response.headers, body: .init(byteBuffer: body))
            return
        }
        self.init(
            status: response.status, headers: response.headers,
            body: ResponseBody(contentLength: body.readableBytes) { writer in
                var rest = body
                while let piece = rest.readSlice(
                    length: min(Origin.chunkBytes, rest.readableBytes)), piece.readableBytes > 0
                {
                    try await writer.write(piece)
                }
                try await writer.finish(nil)
                withExtendedLifetime(hold) {}
            })
    }
}
