/// The distribution of a process's file descriptors: the server's own, a free reserve, and the
/// numbers of connections, media links, bots and finishers that fit into the rest.
///
/// A process without free descriptors cannot start or write anything, and its own runtime may even
/// crash it: libdispatch traps when it cannot open `/proc/self/task/*/stat`. So each kind has its
/// own maximum, and the reserve stays free even if all maxima are reached.
struct DescriptorBudget: Hashable, Sendable {
    /// The maximal numbers of each kind at a time.
    struct Shares: Hashable, Sendable {
        /// HTTP connections, including the WebSockets of peers and bots.
        var connections: Int
        /// Media connections over TCP.
        var links: Int
        var bots: Int
        var finishers: Int
    }

    /// The limit is too low even for the smallest useful server.
    struct Shortage: Error, Hashable, Sendable {
        var limit: Int
        var needed: Int
        var own: Int
        var reserve: Int
    }

    /// The connection, and the file being sent.
    static let perConnection = 2
    static let perLink = 1
    /// Standard input and output, the process, and the file of the room's chat.
    static let perBot = 4
    /// HTTP connections: the WebSocket, and the request that looked up its address.
    static let connectionsPerBot = 2
    /// Standard output and the process.
    static let perFinisher = 2
    /// The smallest useful numbers.
    static let least = Shares(
        connections: 16 + connectionsPerBot, links: 8, bots: 1, finishers: 1)

    let limit: Int
    let own: Int
    let reserve: Int
    let shares: Shares

    /// Fits the wanted numbers into a limit. Bots and finishers come first, but get at most a third
    /// in total; of the rest, links get a fifth and whatever connections do not need.
    ///
    /// - Parameters:
    ///   - limit: the descriptors that the process may have.
    ///   - own: the server's own descriptors, independent of clients.
    init(fitting wish: Shares, into limit: Int, own: Int) throws(Shortage) {
        self.limit = limit
        self.own = own
        reserve = Self.reserve(of: limit)
        let least = Shares(
            connections: Self.least.connections, links: min(wish.links, Self.least.links),
            bots: Self.least.bots, finishers: Self.least.finishers)
        let free = limit - own - reserve
        guard Self.cost(of: least) <= free else {
            throw Shortage(
                limit: limit, needed: own + reserve + Self.cost(of: least), own: own,
                reserve: reserve)
        }
        let bots = min(
            wish.bots,
            max(1, free / 4 / (Self.perBot + Self.connectionsPerBot * Self.perConnection)))
        let finishers = min(wish.finishers, max(1, free / 16 / Self.perFinisher))
        let rest = free - bots * Self.perBot - finishers * Self.perFinisher
        let links = min(
            wish.links,
            max(least.links, rest / 5, rest - wish.connections * Self.perConnection))
        shares = Shares(
            connections: min(
                wish.connections, (rest - links * Self.perLink) / Self.perConnection),
            links: links, bots: bots, finishers: finishers)
    }

    /// The free reserve: for briefly opened files, connections accepted only to be refused, a child
    /// process being started, and the runtime.
    private static func reserve(of limit: Int) -> Int { max(24, min(limit / 16, 256)) }

    static func cost(of shares: Shares) -> Int {
        shares.connections * perConnection + shares.links * perLink + shares.bots * perBot
            + shares.finishers * perFinisher
    }
}
