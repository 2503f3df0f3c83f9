import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// HTTP/1.1 on a connection whose client may be anyone: its heads and its patience have limits.
enum GuardedHTTP {
    /// A connection without requests for this long is closed.
    static let idleTimeout: Duration = .seconds(75)

    /// Call it on the event loop, for a connection that has no HTTP yet.
    ///
    /// - Parameter unparsedBytesMaximum: the most bytes that may wait where nothing is parsed.
    static func add(
        to pipeline: ChannelPipeline.SynchronousOperations, unparsedBytesMaximum: Int,
        patience: HTTPConnectionGuard.Limits
    ) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = Limits.headerFieldBytes
        limits.maxHeaderListSize = Limits.headerListBytes
        limits.maxHeaderFieldCount = Limits.headerFieldCount
        // Responses need no validation here: HTTPTypes has validated them.
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(
            ByteToMessageHandler(
                HTTPRequestDecoder(
                    leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits),
                maximumBufferSize: unparsedBytesMaximum))
        try pipeline.addHandler(HTTPConnectionGuard(patience))
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
    }
}
