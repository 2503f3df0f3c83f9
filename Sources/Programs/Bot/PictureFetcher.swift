import AsyncHTTPClient
import Codec
import Foundation
import MediaKernel
import NIOCore
import NIOHTTP1
import NIOPosix
import Stage

/// The reason why an image is unavailable.
enum PictureFetchError: Error, Hashable, Sendable, CustomStringConvertible {
    case status(UInt)
    case tooManyRedirects
    /// The redirection leads to a host that is not listed.
    case redirect(String)
    case tooLarge(maximum: Int)
    case notAPicture(CodecError)
    case connection(String)
    /// An uploaded picture that the server does not keep, or not any more.
    case notKept

    var description: String {
        switch self {
        case .status(let code): "the server answered \(code)"
        case .tooManyRedirects: "more than \(PictureFetcher.redirectsMaximum) redirections"
        case .redirect(let target): "it leads to \(target.prefix(200)), which is not allowed"
        case .tooLarge(let maximum): "larger than \(maximum) bytes"
        case .notAPicture(let reason): "no picture that can be shown: \(reason)"
        case .connection(let reason): reason
        case .notKept: "it is not among the pictures that the server keeps"
        }
    }
}

/// Fetches and decodes images from listed hosts, and uploaded ones. Each request is checked,
/// redirections too; size and time are limited.
struct PictureFetcher: Sendable {
    static let redirectsMaximum = 3
    static let timeout: TimeAmount = .seconds(10)

    private let hosts: WebHosts
    /// Of the uploaded pictures; nil for none.
    private let picturesDirectory: String?
    private let client: HTTPClient

    init(hosts: WebHosts, picturesDirectory: String? = nil) {
        self.hosts = hosts
        self.picturesDirectory = picturesDirectory
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5), read: Self.timeout))
        configuration.decompression = .disabled
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func close() async { try? await client.shutdown() }

    func fetch(_ wish: PictureRequests.Wish) async throws(PictureFetchError) -> StillPicture {
        switch wish.address {
        case .web(let address): try await decoded(file(at: address), wish.sideMaximum)
        case .uploaded(let picture): try await decoded(file(of: picture), wish.sideMaximum)
        }
    }

    /// Reads on a thread of its own: the disk may be slow.
    private func file(
        of picture: UploadedPicture
    ) async throws(PictureFetchError) -> [UInt8] {
        guard let picturesDirectory else { throw .notKept }
        let path = "\(picturesDirectory)/\(picture.name)"
        let file = try? await NIOThreadPool.singleton.runIfActive {
            FileManager.default.contents(atPath: path)
        }
        guard let file = file ?? nil else { throw .notKept }
        return Array(file)
    }

    private func file(at address: WebAddress) async throws(PictureFetchError) -> [UInt8] {
        var address = address
        for _ in 0...Self.redirectsMaximum {
            guard hosts.allows(address) else { throw .redirect(address.text) }
            switch try await answer(from: address) {
            case .file(let file): return file
            case .redirect(let location):
                guard let target = Self.resolve(location, against: address) else {
                    throw .redirect(location)
                }
                address = target
            }
        }
        throw .tooManyRedirects
    }

    private enum Answer {
        case file([UInt8])
        case redirect(String)
    }

    private func answer(from address: WebAddress) async throws(PictureFetchError) -> Answer {
        do {
            var request = HTTPClientRequest(url: address.text)
            request.headers.add(
                name: "Accept", value: "image/webp, image/png, image/jpeg, image/gif")
            request.headers.add(name: "User-Agent", value: "roomcast")
            let response = try await client.execute(request, timeout: Self.timeout)
            switch response.status.code {
            case 200:
                let maximum = PictureFormat.bytesMaximum
                do {
                    let buffer = try await response.body.collect(upTo: maximum)
                    return .file(Array(buffer.readableBytesView))
                } catch is NIOTooManyBytesError {
                    throw PictureFetchError.tooLarge(maximum: maximum)
                }
            case 301, 302, 303, 307, 308:
                guard let location = response.headers.first(name: "Location") else {
                    throw PictureFetchError.status(response.status.code)
                }
                return .redirect(location)
            default: throw PictureFetchError.status(response.status.code)
            }
        } catch let error as PictureFetchError {
            throw error
        } catch {
            throw .connection("\(error)")
        }
    }

    /// A redirection's target: an absolute address, or a path on the same host.
    static func resolve(_ location: String, against address: WebAddress) -> WebAddress? {
        guard location.hasPrefix("/"), !location.hasPrefix("//") else {
            return WebAddress(location)
        }
        let port = address.port.map { ":\($0)" } ?? ""
        let url = HTTPURL(
            isSecure: address.isSecure, authority: address.host + port, target: location)
        return WebAddress(url.description)
    }

    /// Runs on its own thread: a large picture takes some tenths of a second.
    private func decoded(
        _ file: [UInt8], _ sideMaximum: Int
    ) async throws(PictureFetchError) -> StillPicture {
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                try StillPicture.decode(file, sideMaximum: sideMaximum)
            }
        } catch let error as CodecError {
            throw .notAPicture(error)
        } catch {
            throw .connection("\(error)")
        }
    }
}
