public import Webhooks

/// What the HTTP server is told by the operator.
public struct HTTPServiceConfiguration: Sendable {
    public var host: String
    /// 0 lets the system choose.
    public var port: Int
    /// PEM files; both or none.
    public var certificateFile: String?
    public var privateKeyFile: String?
    /// The root of what `/hls/` serves.
    public var outputDirectory: String
    /// How the outside names this server, e.g. `https://live.example.org`; nil takes each
    /// request's `Host`.
    public var publicBaseURL: String?
    /// Whether only this machine may call, and the public name: with a key that anybody has.
    public var servesOwnHostsOnly: Bool
    /// Whether pages may hand out room tokens to anybody.
    public var handsOutTokens: Bool
    /// Whether anybody may know which rooms somebody is in.
    public var listsRooms: Bool
    /// Whether the recordings page is for anybody: with a key that anybody has.
    public var showsRecordings: Bool
    /// Where pages load hls.js from; nil when they have only the browser's own HLS.
    public var hlsScriptURL: String?
    /// What else than this server the pages' players fetch from.
    public var mediaURLs: [String]
    /// Another directory of web pages than the one that comes with the program.
    public var pagesDirectory: String?
    /// Where rooms' own receivers of webhooks may be; nil when nobody is told what happens in rooms.
    public var webhooks: WebhookReach?
    /// Frames per second of ladder layers in start requests that name none.
    public var frameRate: Int
    /// Connections at a time, viewers' and peers' together; more wait in the system's backlog. Each
    /// costs some 30 KiB.
    public var connectionsMaximum: Int
    /// Those of one IPv4 address or one IPv6 network of 64 bits, but not of this machine; more are
    /// refused.
    public var connectionsPerAddressMaximum: Int

    public init(
        host: String = "127.0.0.1", port: Int = 8080, certificateFile: String? = nil,
        privateKeyFile: String? = nil, outputDirectory: String, publicBaseURL: String? = nil,
        servesOwnHostsOnly: Bool = false,
        handsOutTokens: Bool = false, listsRooms: Bool = true, showsRecordings: Bool = false,
        hlsScriptURL: String? = nil,
        mediaURLs: [String] = [], pagesDirectory: String? = nil, webhooks: WebhookReach? = nil,
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

    /// Every `host[:port]` under which a meeting URL means this server.
    public var authorities: Set<String> { endpoints.authorities }
}
