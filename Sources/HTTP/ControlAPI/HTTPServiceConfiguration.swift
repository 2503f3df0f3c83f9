public import Webhooks

/// The operator's settings of the HTTP server.
public struct HTTPServiceConfiguration: Sendable {
    public var host: String
    /// 0 lets the system choose.
    public var port: Int
    /// PEM files; both or none.
    public var certificateFile: String?
    public var privateKeyFile: String?
    /// The root directory of `/hls/`.
    public var outputDirectory: String
    /// The server's public address, e.g. `https://live.example.org`; nil uses each request's
    /// `Host`.
    public var publicBaseURL: String?
    /// Whether only requests for this machine's own names and the public name are served: if the
    /// key is publicly known.
    public var servesOwnHostsOnly: Bool
    /// Whether pages may give room tokens to anyone.
    public var handsOutTokens: Bool
    /// Whether anyone may see which rooms have peers.
    public var listsRooms: Bool
    /// Whether the recordings page is open to anyone: with the development key.
    public var showsRecordings: Bool
    /// The address from which pages load hls.js; nil for the browser's own HLS only.
    public var hlsScriptURL: String?
    /// The other servers that the pages' players fetch from.
    public var mediaURLs: [String]
    /// From where pages may load images of people, besides this server, as in `img-src`.
    public var imageSources: [String]
    /// Where the embedded player may be framed, as in `frame-ancestors`; nowhere if empty.
    public var embedders: [String]
    /// A directory of web pages that replaces the built-in one.
    public var pagesDirectory: String?
    /// Where rooms' own webhook receivers may be; nil when room events are not sent.
    public var webhooks: WebhookReach?
    /// Frames per second of ladder layers in start requests that name none.
    public var frameRate: Int
    /// Connections at a time, viewers' and peers' together; more wait in the system's backlog. Each
    /// costs some 30 KiB.
    public var connectionsMaximum: Int
    /// Connections of one IPv4 address or one IPv6 /64 network, except this machine's; more are
    /// refused.
    public var connectionsPerAddressMaximum: Int

    public init(
        host: String = "127.0.0.1", port: Int = 8080, certificateFile: String? = nil,
        privateKeyFile: String? = nil, outputDirectory: String, publicBaseURL: String? = nil,
        servesOwnHostsOnly: Bool = false,
        handsOutTokens: Bool = false, listsRooms: Bool = true, showsRecordings: Bool = false,
        hlsScriptURL: String? = nil,
        mediaURLs: [String] = [], imageSources: [String] = [], embedders: [String] = ["*"],
        pagesDirectory: String? = nil, webhooks: WebhookReach? = nil,
        frameRate: Int = 30, connectionsMaximum: Int = 8192,
        connectionsPerAddressMaximum: Int = 1024
    ) {
        self.host = host
        self.port = port
        self.certificateFile = certificateFile
        self.privateKeyFile = privateKeyFile
        self.outputDirectory = outputDirectory
        self.publicBaseURL = publicBaseURL
        self.servesOwnHostsOnly = servesOwnHostsOnly
        self.handsOutTokens = handsOutTokens
        self.listsRooms = listsRooms
        self.showsRecordings = showsRecordings
        self.hlsScriptURL = hlsScriptURL
        self.mediaURLs = mediaURLs
        self.imageSources = imageSources
        self.embedders = embedders
        self.pagesDirectory = pagesDirectory
        self.webhooks = webhooks
        self.frameRate = frameRate
        self.connectionsMaximum = connectionsMaximum
        self.connectionsPerAddressMaximum = connectionsPerAddressMaximum
    }
}

extension HTTPServiceConfiguration {
    var endpoints: Endpoints {
        Endpoints(
            publicBaseURL: publicBaseURL, isTLS: certificateFile != nil,
            listenAuthority: "\(host.contains(":") ? "[\(host)]" : host):\(port)")
    }

    var ownHosts: OwnHosts { servesOwnHostsOnly ? OwnHosts(publicURL: publicBaseURL) : .any }

    /// Every `host[:port]` by which a meeting URL means this server.
    public var authorities: Set<String> { endpoints.authorities }
}
