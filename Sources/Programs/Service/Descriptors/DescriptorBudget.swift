/// How the file descriptors of a process are dealt out: what the server itself has open, what is
/// kept free, and how many connections, media links, bots and finishers there is room for in what
/// is left.
///
/// A process without free descriptors cannot start or write anything, and may even be ended by its
/// own runtime: libdispatch traps when it cannot open `/proc/self/task/*/stat`. So each kind has a
/// maximum of its own, and with all of them reached the reserve is still free.
struct DescriptorBudget: Hashable, Sendable {
    /// As many of each as there may be at a time.
    struct Shares: Hashable, Sendable {
        /// Of HTTP, the WebSockets of peers and bots among them.
        var connections: Int
        /// Media over TCP.
        var links: Int
        var bots: Int
        var finishers: Int
    }

    /// It does not even suffice for the least that is of use.
    struct Shortage: Error, Hashable, Sendable {
        var limit: Int
        var needed: Int
        var own: Int
        var reserve: Int
    }

    /// The connection, and the file that is sent to it.
    static let perConnection = 2
    static let perLink = 1
    /// Its standard input and output, its process, and the file of its room's chat.
    static let perBot = 4
    /// Of HTTP: its WebSocket, and the one over which it was told where that is.
    static let connectionsPerBot = 2
    /// Its standard output and its process.
    static let perFinisher = 2
    /// The fewest that a server is of use with.
    static let least = Shares(
        connections: 16 + connectionsPerBot, links: 8, bots: 1, finishers: 1)

    let limit: Int
    let own: Int
    let reserve: Int
    let shares: Shares

    /// Fits what is wished for into a limit. Bots and finishers come first, but take no more than a
    /// third together; of the rest, links have a fifth, and what connections do not need.
    ///
    /// - Parameters:
    ///   - limit: descriptors that the process may have.
    ///   - own: what it has open whoever calls.
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

    /// What is kept free: for files that are open for a moment, for what is accepted only to be
    /// refused, for a child that is being started, and for the runtime.
    private static func reserve(of limit: Int) -> Int { max(24, min(limit / 16, 256)) }

    static func cost(of shares: Shares) -> Int {
        shares.connections * perConnection + shares.links * perLink + shares.bots * perBot
            + shares.finishers * perFinisher
    }
}
