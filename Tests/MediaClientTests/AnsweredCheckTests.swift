import Datagrams
import Digests
import ICE
import MediaKernel
import NIOCore
import NIOPosix
import SDP
import SecureTransport
import Testing

@testable import MediaClient

@Suite(.timeLimit(.minutes(5))) struct AnsweredCheckTests {
    private struct Authenticator: MessageAuthenticator {
        func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] {
            MACKey(key, digest: .sha1).code(of: message)
        }
    }

    /// A connectivity check from a sender that has the offer.
    private func check(_ offer: SessionDescription) throws -> [UInt8] {
        let section = try #require(offer.media.first)
        let fragment = try #require(section.ice.usernameFragment)
        let transaction = try #require(STUNTransactionID(Array(1...12)))
        return STUNMessage(
            .request, transaction: transaction,
            attributes: [.username("\(fragment):them"), .priority(1), .iceControlled(1)]
        ).serialized(password: section.ice.password, by: Authenticator())
    }

    /// For a socket that reads continuously, and one that is read at intervals, like a bot's.
    @Test(arguments: [nil, Duration.milliseconds(20)], ["127.0.0.1", "127.0.0.2"])
    func anAnswerLeavesFromTheAddressThatWasChecked(
        readingInterval: Duration?, checked: String
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let client = try await LoopbackClient.start(
            on: loop, sending: [.voice], readingInterval: readingInterval)
        let check = try check(try await client.offer())
        let answer = loop.makePromise(of: TransportAddress.self)
        let asking = try await DatagramSocket.bind(host: "127.0.0.1", port: 0, on: loop) {
            .init(
                received: { bytes, source in
                    if STUNMessage.isAnswer(bytes) { answer.succeed(source) }
                }, batchEnded: {})
        }.get()
        let address = try #require(TransportAddress(checked, port: try await client.port()))
        try await loop.submit {
            asking.value.send(check, to: address)
            asking.value.flush()
        }.get()
        let deadline = loop.scheduleTask(in: .seconds(30)) { answer.fail(ChannelError.eof) }
        #expect(try await answer.futureResult.get() == address)

        deadline.cancel()
        try await loop.submit { asking.value.close() }.get()
        try await client.stop()
        try await group.shutdownGracefully()
    }
}
