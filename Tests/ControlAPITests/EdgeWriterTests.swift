import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import ControlAPI

/// Answers that are sent as bytes.
@Suite struct EdgeWriterTests {
    private static let date = ByteBuffer(string: "Date: now\r\n\r\n")

    private static func text(_ response: EdgeResponse) -> String {
        String(buffer: response.head.dated(date))
    }

    @Test func theHeadSaysHowLongTheBodyIs() {
        #expect(
            Self.text(EdgeResponse(status: .ok, headers: [.contentLength: "5", .eTag: "\"a\""]))
                == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\nServer: roomcast\r\n"
                + "Date: now\r\n\r\n")
        // Without a length, a client would wait for the connection's end.
        #expect(
            Self.text(EdgeResponse(status: .rangeNotSatisfiable, headers: [:]))
                .contains("\r\nContent-Length: 0\r\n"))
        #expect(
            !Self.text(EdgeResponse(status: .notModified, headers: [.contentLength: "5"]))
                .contains("Content-Length"))
    }

    /// Many get the same one, each with the time of its answer.
    @Test func aSharedHeadIsTheSame() {
        let headers: HTTPFields = [.contentLength: "5", .cacheControl: "no-cache"]
        let one = EdgeResponse(status: .ok, headers: headers, isShared: true)
        #expect(Self.text(one) == Self.text(EdgeResponse(status: .ok, headers: headers)))
        #expect(String(buffer: one.head.dated(ByteBuffer(string: "x"))).hasSuffix("roomcast\r\nx"))
    }

    /// The encoder still knows how the last answer was framed that it made itself.
    @Test func theEndOfAnAnswerInBytesIsNotSent() throws {
        let writer = EdgeWriter()
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(), HTTP1ToHTTPServerCodec(secure: false), writer,
        ])
        func end() throws { try channel.writeOutbound(HTTPResponsePart.end(nil)) }
        func sent() throws -> String {
            var text = ""
            while let data = try channel.readOutbound(as: ByteBuffer.self) {
                text += String(buffer: data)
            }
            return text
        }
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try end()
        #expect(try sent().hasSuffix("transfer-encoding: chunked\r\n\r\n0\r\n\r\n"))
        let promise = channel.eventLoop.makePromise(of: Void.self)
        writer.write(
            head: ByteBuffer(string: "head "), body: ByteBuffer(string: "body"), promise: promise)
        try end()
        #expect(try sent() == "head body")
        try promise.futureResult.wait()
        // That of the next one is.
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try end()
        #expect(try sent().hasSuffix("0\r\n\r\n"))
        _ = try channel.finish()
    }
}

/// What a connection's requests have in common.
@Suite struct EdgeHabitsTests {
    private static func request(_ host: String?, _ encoding: String? = nil) -> HTTPRequest {
        var request = HTTPRequest(method: .get, scheme: "http", authority: host, path: "/")
        request.headerFields[.acceptEncoding] = encoding
        return request
    }

    @Test func aHostIsCheckedAgainWhenItChanges() {
        var habits = EdgeHabits()
        let hosts = OwnHosts(publicURL: "https://rooms.example.test")
        let asked = [
            "rooms.example.test", "rooms.example.test", "evil.example.test", "evil.example.test",
            "localhost:80", nil,
        ]
        let answers = asked.map { habits.include(Self.request($0), in: hosts) }
        #expect(answers == [true, true, false, false, true, true])
    }

    @Test func anEncodingIsReadAgainWhenItChanges() {
        var habits = EdgeHabits()
        let asked = [nil, "gzip, br", "gzip, br", "gzip;q=0", nil, "gzip, br"]
        let answers = asked.map { habits.allowsGzip(Self.request("h", $0)) }
        #expect(answers == [false, true, true, false, false, true])
    }
}
