import Hummingbird
import HundredMSTerms
import MediaKernel
import Tokens

/// `GET /init`: the first call of every 100ms client. It trades a room token for the WebSocket's
/// address and the client's settings. Browsers on other sites may call it, hence CORS.
struct InitRoute: Sendable {
    let tokens: RoomTokenGuard
    let gateway: any SignallingGateway
    let endpoints: Endpoints

    func respond(to request: Request) async -> Response {
        var response: Response
        do {
            response = JSON.response(try await body(for: request))
        } catch {
            response = error.answer
        }
        response.headers.append(contentsOf: CrossOrigin.headers)
        return response
    }

    private func body(for request: Request) async throws(APIError) -> Body {
        let text = request.uri.queryParameters["peer_id"]
        let peer = text.flatMap { Limits.isPeerID($0) ? PeerID(String($0)) : nil }
        let claims = try await tokens.claims(of: BearerToken.read(request), peer: peer)
        guard text == nil || peer != nil else { throw .badRequest("peer_id is not valid") }
        let configuration = try await gateway.initialConfiguration(peer: peer, claims: claims)
        return Body(
            endpoint: endpoints.webSocket(
                to: claims.room, for: request,
                isRecorder: claims.role == HundredMSTerms.recorderRole),
            rtcConfiguration: .init(iceServers: configuration.iceServers),
            config: .init(
                enabledFlags: configuration.enabledFlags,
                networkHealth: Body.NetworkHealth(
                    url: endpoints.base(for: request) + NetworkTest.path)))
    }

    struct Body: Encodable {
        var endpoint: String
        var logLevel = "info"
        var policy = "{}"
        var rtcConfiguration: RTCConfiguration
        /// Clients read it without a check, so it is always present.
        var config: Config

        enum CodingKeys: String, CodingKey {
            case endpoint
            case logLevel = "log_level"
            case policy
            case rtcConfiguration
            case config
        }

        struct RTCConfiguration: Encodable {
            var iceServers: [InitialConfiguration.ICEServer]
            enum CodingKeys: String, CodingKey { case iceServers = "ice_servers" }
        }

        struct Config: Encodable {
            var enabledFlags: [String]
            var networkHealth: NetworkHealth
            var publishStats = Stats(maxSampleWindowSize: 30, maxSamplePushInterval: 300)
            var subscribeStats = Stats(maxSampleWindowSize: 10, maxSamplePushInterval: 60)
            var dtlsStateTimeouts = DTLSTimeouts()
            var vb = VirtualBackground()
        }

        /// How a client measures its network before it joins.
        struct NetworkHealth: Encodable {
            /// Without a query: the client adds one.
            var url: String
            /// The longest download in milliseconds.
            var timeout = 10_000
            /// Kilobits per second, by score. 100ms' clients call 5 excellent, and 0 no network. A
            /// camera at full quality and three other cameras need some 3000.
            var scoreMap: [String: Range] = [
                "0": Range(low: 1, high: 100), "1": Range(low: 100, high: 300),
                "2": Range(low: 300, high: 700), "3": Range(low: 700, high: 1500),
                "4": Range(low: 1500, high: 3000), "5": Range(low: 3000),
            ]

            struct Range: Encodable {
                var low: Int
                /// Nil for no upper bound.
                var high: Int?
            }
        }

        struct Stats: Encodable {
            /// Seconds.
            var maxSampleWindowSize: Int
            var maxSamplePushInterval: Int
        }

        /// Milliseconds until the client gives up a transport.
        struct DTLSTimeouts: Encodable {
            var connecting = 10_000
            var failed = 5_000
        }

        struct VirtualBackground: Encodable { var effectsKey = "" }
    }
}

/// RFC 6750 sect. 2.1.
enum BearerToken {
    /// The token of the `Authorization` header; empty when there is none.
    static func read(_ request: Request) -> String {
        guard let header = request.headers[.authorization] else { return "" }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return "" }
        return String(parts[1].drop { $0 == " " })
    }
}
