import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import NIOPosix
import ObjectStorage
import Signing

/// Serves assets under `/recordings/<link>/…` to holders of the link: files with ranges and a
/// download name, and a VOD's playlists and segments, all by the same link, even after they have
/// moved into a store.
struct AssetOrigin: Sendable {
    let library: RecordingLibrary
    /// The root directory of streams.
    let streams: String
    let clock: @Sendable () -> UnixTime
    private let threads = NIOThreadPool.singleton

    init(
        library: RecordingLibrary, streams: String, clock: @escaping @Sendable () -> UnixTime
    ) {
        self.library = library
        self.streams = streams
        self.clock = clock
    }

    /// - Parameter encodedPath: the path after `/recordings/`, still percent-encoded.
    func respond(to request: Request, encodedPath: some StringProtocol) async throws -> Response {
        guard let slash = encodedPath.firstIndex(of: "/"),
            let path = OriginPath(
                encoded: encodedPath[encodedPath.index(after: slash)...], kinds: OriginPath.assets)
        else { throw Origin.notFound }
        let now = clock()
        let link: AssetLink
        do throws(AssetLink.Refusal) {
            link = try AssetLink(
                verifying: encodedPath[..<slash], with: library.key,
                at: now)
        } catch {
            throw Origin.withCORS(.refusedLink(error))
        }
        guard let asset = try await library.catalogue.asset(link.asset) else {
            throw Origin.notFound
        }
        return try await respond(to: request, asset, path, until: link.expiry, at: now)
    }

    /// How long a store's own address is valid to which a caller is sent who needs no link.
    private static let redirectLifetime: Duration = .seconds(3600)

    /// Serves a file to a caller who may have it.
    ///
    /// - Parameter name: of the download.
    func respond(
        to request: Request, with file: RecordingFile, named name: String
    ) async throws -> Response {
        guard let path = OriginPath(encoded: file.path, kinds: OriginPath.assets) else {
            throw Origin.notFound
        }
        let now = clock()
        return try await respond(
            to: request, file.asset, path, until: now + Self.redirectLifetime, at: now, named: name)
    }

    /// - Parameter name: of a download; nil for the file's own.
    private func respond(
        to request: Request, _ asset: CatalogueAsset, _ path: OriginPath, until expiry: UnixTime,
        at now: UnixTime, named name: String? = nil
    ) async throws -> Response {
        // Its files are removed a little later.
        if let end = asset.expiresAt, end <= now { throw Origin.notFound }
        guard let directory = Self.directory(of: asset, holding: path) else {
            throw Origin.notFound
        }
        if let response = try await stored(
            asset, until: expiry, path, in: directory, request, at: now)
        {
            return response
        }
        guard let file = try await file(path, of: asset, in: directory) else {
            throw Origin.notFound
        }
        var headers = Origin.headers(kind: path.kind, tag: "\"\(file.entityTag)\"")
        headers[.cacheControl] = Origin.caching(until: expiry, at: now)
        let name = name ?? path.components[path.components.count - 1]
        let isDownload = request.uri.queryParameters["download"] != nil
        headers[.contentDisposition] =
            "\(isDownload ? "attachment" : "inline"); filename=\"\(name)\""
        return try Origin.ranged(file, headers, request)
    }

    private func file(
        _ path: OriginPath, of asset: CatalogueAsset, in directory: String
    ) async throws -> OriginFile? {
        let root = "\(library.root)/\(directory)"
        // A player that started before the VOD moved into the store has a playlist of single
        // segments; the stream's own are the same.
        let isInStore = asset.location != nil && path.kind == .transportStream
        let names = isInStore ? [asset.stream.rawValue, ".\(asset.stream)"] : []
        let roots = [root] + names.map { "\(streams)/\(asset.room)/\($0)" }
        return try await threads.runIfActive {
            roots.lazy.compactMap { OriginFile.open(path, in: $0) }.first
        }
    }

    /// Assets in a store are fetched from there: the file by its signed address, a VOD's segments
    /// as ranges of the archive.
    ///
    /// - Returns: nil for everything else.
    private func stored(
        _ asset: CatalogueAsset, until expiry: UnixTime, _ path: OriginPath,
        in directory: String, _ request: Request, at now: UnixTime
    ) async throws -> Response? {
        let name = path.components[path.components.count - 1]
        let isFile = path.components.count == 1 && asset.path.hasSuffix("/\(name)")
        let isDownload = request.uri.queryParameters["download"] != nil
        guard asset.location != nil, isFile || path.kind == .playlist,
            let url = library.storeURL(
                of: asset, for: isFile ? isDownload ? .download(name: name) : .file : .segments,
                // The client repeats the request's method at the store. A playlist's entries are
                // fetched with GET.
                method: isFile && request.method == .head ? "HEAD" : "GET", at: now,
                validity: .seconds(max(1, expiry.seconds - now.seconds)))
        else { return nil }
        if isFile {
            var headers = Origin.headers(kind: path.kind, tag: nil)
            headers[.cacheControl] = "no-store"
            headers[.location] = url
            return Response(status: .temporaryRedirect, headers: headers)
        }
        let root = "\(library.root)/\(directory)"
        guard let ranged = path.sibling(Self.rangesName) else { return nil }
        let acceptsGzip = AcceptEncoding.allowsGzip(request.headers[values: .acceptEncoding])
        let found = try await threads.runIfActive { () -> (bytes: [UInt8], isGzip: Bool)? in
            guard let file = OriginFile.open(ranged, in: root),
                file.byteCount <= Self.playlistBytesMaximum,
                let text = file.read(at: 0, count: Int(file.byteCount))
            else { return nil }
            let lines = String(decoding: text, as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.isEmpty || $0.hasPrefix("#") ? $0 : Substring(url) }
            // The address has hundreds of bytes, on each segment's line.
            let plain = Array(lines.joined(separator: "\n").utf8)
            let isGzip = acceptsGzip && plain.count <= Gzip.inputBytesMaximum
            return (bytes: isGzip ? Gzip.compressed(plain) : plain, isGzip: isGzip)
        }
        guard let found else { return nil }
        var headers = Origin.headers(kind: .playlist, tag: nil)
        headers[.cacheControl] = "private, no-store"
        headers[.vary] = "Accept-Encoding"
        if found.isGzip { headers[.contentEncoding] = "gzip" }
        return Response(
            status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: found.bytes)))
    }

    /// The playlist of ranges that a finisher writes next to each layer's.
    private static let rangesName = "archive.m3u8"
    /// A day of one-second segments.
    private static let playlistBytesMaximum: Int64 = 16 << 20

    /// The directory that holds the path: an asset's own file, everything below a VOD's directory,
    /// or its recording's pictures.
    private static func directory(of asset: CatalogueAsset, holding path: OriginPath) -> String? {
        guard asset.status == .completed else { return nil }
        if path.components.first == RecordingPlace.thumbnailsName {
            let suffix = "/" + path.components.joined(separator: "/")
            let picture = asset.thumbnails?.paths.first { $0.hasSuffix(suffix) }
            return picture.map { String($0.dropLast(suffix.count)) }
        }
        var parts = asset.path.split(separator: "/")
        let name = parts.popLast().map(String.init)
        guard asset.kind == .roomVOD || path.components == [name] else { return nil }
        return parts.joined(separator: "/")
    }
}
