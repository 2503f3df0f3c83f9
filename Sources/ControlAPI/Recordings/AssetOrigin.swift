import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import NIOPosix
import Signing

/// Serves assets under `/recordings/<link>/…` to whoever has the link: files with ranges and a
/// name to save them under, and a VOD's playlists and segments, all by the same link.
struct AssetOrigin: Sendable {
    let library: RecordingLibrary
    let clock: @Sendable () -> Timestamp
    private let threads = NIOThreadPool.singleton

    init(library: RecordingLibrary, clock: @escaping @Sendable () -> Timestamp) {
        self.library = library
        self.clock = clock
    }

    /// - Parameter encodedPath: what follows `/recordings/`, percent-encoded as it came.
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
                at: UnixTime(nanoseconds: now.nanoseconds))
        } catch {
            throw Origin.withCORS(Self.refused(error))
        }
        guard let asset = try await library.catalogue.asset(link.asset),
            let directory = Self.directory(of: asset, holding: path)
        else { throw Origin.notFound }
        let root = "\(library.root)/\(directory)"
        let found = try await threads.runIfActive { OriginFile.open(path, in: root) }
        guard let file = found else { throw Origin.notFound }
        var headers = Origin.headers(kind: path.kind, tag: "\"\(file.entityTag)\"")
        // For as long as the link holds, and by nobody but who has it.
        headers[.cacheControl] = "private, max-age=\(max(0, link.expiry.seconds - now.seconds))"
        let name = path.components[path.components.count - 1]
        let isDownload = request.uri.queryParameters["download"] != nil
        headers[.contentDisposition] =
            "\(isDownload ? "attachment" : "inline"); filename=\"\(name)\""
        return Origin.ranged(file, headers, request)
    }

    /// Where the path begins: an asset's own file, or all below a VOD's directory.
    private static func directory(of asset: CatalogueAsset, holding path: OriginPath) -> String? {
        guard asset.status == .completed else { return nil }
        var parts = asset.path.split(separator: "/")
        let name = parts.popLast().map(String.init)
        guard asset.kind == .roomVOD || path.components == [name] else { return nil }
        return parts.joined(separator: "/")
    }

    private static func refused(_ refusal: AssetLink.Refusal) -> APIError {
        switch refusal {
        case .malformed, .wrongSignature: .forbidden("the link is not valid")
        case .expired(let time):
            .forbidden(
                "the link has expired",
                "it was valid until \(Timestamp(nanoseconds: time.nanoseconds))")
        }
    }
}
