import Codec
import Foundation
import MediaKernel
import NIOCore
import NIOPosix
import Stage
import Testing
import Workbench

@testable import Bot

/// Images from well-behaved and misbehaving servers.
@Suite(.timeLimit(.minutes(5))) struct PictureFetcherTests {
    /// Red, 16 by 16.
    private static let picture =
        "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mPYYGVFEmIY1TCqYfhqAACzQSQQulY/"
        + "TAAAAABJRU5ErkJggg=="

    /// The outcome of fetching a path's image. The host of `/away` redirects to one that is not
    /// listed.
    private func fetch(
        _ path: String, sideMaximum: Int = 512
    ) async throws -> Result<StillPicture, PictureFetchError> {
        let picture = try #require(Data(base64Encoded: Self.picture)).map { $0 }
        let server = try await WebServer.start { path in
            switch path {
            case "/picture": .init(body: picture)
            case "/damaged": .init(body: Array(picture.prefix(50)))
            case "/text": .init(body: Array("hello".utf8))
            case "/large": .init(body: [UInt8](repeating: 0, count: PictureFormat.bytesMaximum + 1))
            case "/away": .init(location: "http://localhost:1/picture")
            case "/elsewhere": .init(location: "//localhost/picture")
            // `/3` is three redirections away from the picture.
            case "/4", "/3", "/2": .init(location: "/\((Int(path.dropFirst()) ?? 0) - 1)")
            case "/1": .init(location: "/picture")
            case "/nowhere": .init(status: 302)
            default: .init(status: 404)
            }
        }
        let hosts = try #require(WebHosts(["127.0.0.1:\(server.port)"], allowsHTTP: true))
        let address = try #require(hosts.allowed("http://127.0.0.1:\(server.port)\(path)"))
        let fetcher = PictureFetcher(hosts: hosts)
        let result: Result<StillPicture, PictureFetchError>
        do throws(PictureFetchError) {
            result = .success(
                try await fetcher.fetch(.init(address: .web(address), sideMaximum: sideMaximum)))
        } catch {
            result = .failure(error)
        }
        await fetcher.close()
        try await server.stop()
        return result
    }

    private func failure(_ path: String) async throws -> PictureFetchError? {
        switch try await fetch(path) {
        case .success: nil
        case .failure(let error): error
        }
    }

    @Test(arguments: ["/picture", "/1", "/2", "/3"])
    func aPictureIsFoundBehindAFewRedirections(path: String) async throws {
        let picture = try await fetch(path).get()
        #expect(picture.width == 16 && picture.height == 16)
        #expect(try await fetch(path, sideMaximum: 8).get().width == 8)
    }

    @Test func anUploadedPictureIsReadFromItsDirectory() async throws {
        let file = try #require(Data(base64Encoded: Self.picture)).map { $0 }
        let scratch = try Scratch()
        let uploaded = try #require(UploadedPicture(hash: [UInt8](repeating: 0xAB, count: 32)))
        _ = try scratch.write(file, to: uploaded.name)
        let fetcher = PictureFetcher(hosts: WebHosts(), picturesDirectory: scratch.path)
        let wish = PictureRequests.Wish(address: .uploaded(uploaded), sideMaximum: 8)
        #expect(try await fetcher.fetch(wish).width == 8)
        let other = try #require(UploadedPicture(hash: [UInt8](repeating: 0xAC, count: 32)))
        await #expect(throws: PictureFetchError.notKept) {
            _ = try await fetcher.fetch(.init(address: .uploaded(other), sideMaximum: 8))
        }
        await fetcher.close()
    }

    @Test func moreRedirectionsAreNotFollowed() async throws {
        #expect(try await failure("/4") == .tooManyRedirects)
    }

    @Test func nobodyIsLedToAHostThatIsNotListed() async throws {
        #expect(try await failure("/away") == .redirect("http://localhost:1/picture"))
        #expect(try await failure("/elsewhere") == .redirect("//localhost/picture"))
    }

    @Test func whatIsTooLargeIsNotRead() async throws {
        #expect(try await failure("/large") == .tooLarge(maximum: PictureFormat.bytesMaximum))
    }

    @Test(arguments: ["/damaged", "/text"])
    func whatIsNoWholePictureIsNotShown(path: String) async throws {
        guard case .notAPicture = try await failure(path) else {
            Issue.record("it was taken for a picture")
            return
        }
    }

    @Test func otherAnswersAreToldAsTheyAre() async throws {
        #expect(try await failure("/missing") == .status(404))
        #expect(try await failure("/nowhere") == .status(302))
    }
}

/// Answers requests on a loopback port, one per connection.
private struct WebServer {
    struct Answer: Sendable {
        var status = 200
        var location: String?
        var body: [UInt8] = []

        init(status: Int = 200, location: String? = nil, body: [UInt8] = []) {
            self.status = location == nil ? status : 302
            self.location = location
            self.body = body
        }
    }

    private let channel: any Channel

    /// - Parameter answer: the answer for a path.
    static func start(_ answer: @escaping @Sendable (String) -> Answer) async throws -> WebServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Conversation(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return WebServer(channel: channel)
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    func stop() async throws { try await channel.close() }

    private final class Conversation: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: @Sendable (String) -> Answer
        private var request = ""

        init(_ answer: @escaping @Sendable (String) -> Answer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            request += String(buffer: unwrapInboundIn(data))
            guard request.contains("\r\n\r\n") else { return }
            let words = request.split(separator: " ", maxSplits: 2)
            let answer = answer(words.count > 1 ? String(words[1]) : "")
            var head = "HTTP/1.1 \(answer.status) -\r\nConnection: close\r\n"
            head += "Content-Length: \(answer.body.count)\r\n"
            if let location = answer.location { head += "Location: \(location)\r\n" }
            var bytes = context.channel.allocator.buffer(string: head + "\r\n")
            bytes.writeBytes(answer.body)
            context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
