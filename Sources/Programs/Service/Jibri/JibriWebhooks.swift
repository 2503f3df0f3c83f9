import AsyncHTTPClient
import Clocks
import Foundation
import Jibri
import Logging
import MediaKernel
import NIOCore
import NIOHTTP1

/// Posts the health to the operator's subscribers, as Jibri does: once, without a second attempt.
/// The next post has newer news.
struct JibriWebhooks: Sendable {
    private static let timeout = TimeAmount.seconds(2)

    private let subscribers: [String]
    private let id: String
    private let token: JibriToken?
    private let client: HTTPClient
    private let logger: Logger
    private let clock: @Sendable () -> UnixTime

    /// - Parameter token: nil for posts without a proof.
    init(
        _ settings: JibriSettings, token: JibriToken?, logger: Logger,
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        subscribers = settings.webhooks
        id = settings.id
        self.token = token
        self.logger = logger
        self.clock = clock
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: Self.timeout, read: Self.timeout))
        configuration.httpVersion = .http1Only
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func close() async { try? await client.shutdown() }

    func post(_ health: JibriHealth) async {
        guard !subscribers.isEmpty else { return }
        let body = StableJSON.bytes(JibriEvent(id: id, health))
        let proof = token?.text(at: clock())
        await withDiscardingTaskGroup { group in
            for subscriber in subscribers {
                group.addTask { await post(body, to: subscriber, proof) }
            }
        }
    }

    private func post(_ body: [UInt8], to subscriber: String, _ proof: String?) async {
        var request = HTTPClientRequest(url: subscriber + JibriEvent.path)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        if let proof { request.headers.add(name: "authorization", value: "Bearer \(proof)") }
        request.body = .bytes(body)
        // The path may have a secret.
        let host = HTTPURL(subscriber)?.host ?? ""
        do {
            let answer = try await client.execute(request, timeout: Self.timeout)
            guard answer.status != .ok else { return }
            logger.error(
                "jibri: a webhook is not taken",
                metadata: ["host": "\(host)", "status": "\(answer.status.code)"])
        } catch {
            logger.error(
                "jibri: a webhook cannot be sent",
                metadata: ["host": "\(host)", "reason": "\(error)"])
        }
    }
}
