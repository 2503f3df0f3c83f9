import Clocks
import Glibc
import Logging
import MediaClient
import MediaKernel
import NIOCore
import NIOPosix
import PeerConnection
public import RemoteRoom
import SDP

/// A page of the web as a room with one peer, which presents the page's picture and its sound.
///
/// The browser captures the page's tab. A second tab, with a document of our own, writes the pictures
/// into a file that the bot reads, as they are, and sends the sound as a WebRTC peer over the
/// loopback. So neither the page's rules nor its crash ends the sender.
public actor WebPageRoom: RemoteRoom {
    /// The peer that publishes.
    static let peer: PeerID = "page"
    static let picture: TrackID = "picture"
    private enum Work: Sendable {
        case order(PageWatch.Order)
        /// Something of our own is gone: another bot may do better.
        case lost(String)
    }

    /// How often a page that is shown is asked whether it still reacts.
    private static let heartbeat: Duration = .seconds(5)
    private static let tickInterval: Duration = .milliseconds(200)

    private let address: WebPageAddress
    private let guest: RoomGuest
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let makeObserver: @Sendable () -> any ClientMediaObserver
    private nonisolated let feed = RoomEvents()
    private let work: AsyncStream<Work>
    private let workSink: AsyncStream<Work>.Continuation
    private var watch: PageWatch
    private var log: PageLog
    private var browser: PageBrowser?
    private var media: NIOLoopBound<ClientMedia>?
    private var pictures: PictureFeed?
    /// Over which the keeper hands the file of the pictures; nil once there is no need.
    private var pictureSocket: CInt?
    private let stay = RoomStay()

    public nonisolated var events: AsyncStream<RemoteRoomEvent> { feed.stream }

    init(
        address: WebPageAddress, guest: RoomGuest, eventLoop: any EventLoop, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) {
        self.address = address
        self.guest = guest
        self.eventLoop = eventLoop
        self.logger = logger
        self.makeObserver = makeObserver
        pictureSocket = address.browser.pictures
        (work, workSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16))
        watch = PageWatch(
            rules: PageWatch.Rules(awaitsSignal: address.awaitsSignal), at: MonotonicClock.now)
        log = PageLog(directory: address.directory)
    }

    public func run() async throws(RoomEnd) {
        defer { feed.finish() }
        if !guest.receivesVideo { closePictureSocket() }
        let end = await stay.run { await self.remain() }
        await close()
        if let end { throw end }
    }

    public func leave() async {
        stay.leave()
        await feed.waitForEnd()
    }

    /// - Returns: nil after `leave()` or a cancellation.
    private func remain() async -> RoomEnd? {
        let handle = address.browser
        let networks: [AddressGuard.Network]
        do {
            networks = try GuardProxy.networks()
        } catch {
            return .failed("this machine's networks cannot be read: \(error)")
        }
        let proxies = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let proxy = GuardProxy(
            addresses: AddressGuard(hosts: address.hosts, networks: networks)
        ) { [weak self] words in
            Task { await self?.happened(.refused(words), as: "refused", words) }
        }
        // Nobody waits for its end: a name or a host that does not answer would hold it up.
        let guarding = Task { [workSink] in
            do {
                try await proxy.run(on: proxies, listening: handle.proxy)
            } catch {
                workSink.yield(.lost("the guard's proxy: \(error)"))
            }
        }
        let end = await withTaskGroup(of: RoomEnd?.self) { group in
            group.addTask { await self.follow(handle.reportLines()) }
            group.addTask { await self.converse(on: proxies.next()) }
            group.addTask { await self.tick() }
            var end: RoomEnd?
            for await result in group {
                guard let result else { continue }
                end = result
                break
            }
            group.cancelAll()
            return end
        }
        guarding.cancel()
        proxies.shutdownGracefully { _ in }
        return Task.isCancelled ? nil : end
    }

    /// What the keeper of the browser reports.
    private func follow(_ reports: AsyncStream<BrowserReport>) async -> RoomEnd? {
        for await report in reports {
            switch report {
            case .unconfined(let reason):
                logger.warning(
                    "the browser runs without a sandbox of its own", metadata: ["why": "\(reason)"])
            case .overweight(let megabytes):
                let words = "the browser took \(megabytes) MB, more than customView.memoryMaximum"
                logger.warning("a page is too large", metadata: ["megabytes": "\(megabytes)"])
                happened(.complained(words), as: "limit", words)
            case .ended(let status): return .failed("the browser exited with status \(status)")
            }
        }
        return Task.isCancelled ? nil : .failed("the browser's keeper is gone")
    }

    /// Talks with the browser until the page's end.
    ///
    /// - Parameter loop: not the bot's, whose media a talkative page would hold up.
    private func converse(on loop: any EventLoop) async -> RoomEnd? {
        do {
            let tools = try await DevTools.open(
                input: address.browser.messages, output: address.browser.commands, on: loop)
            let page = PageBrowser(tools: tools, address: address, showsVideo: guest.receivesVideo)
            browser = page
            return try await withThrowingTaskGroup(of: RoomEnd?.self) { group in
                group.addTask {
                    await tools.run { event in
                        for sign in await page.handle(event) { await self.noticed(sign) }
                    }
                    return Task.isCancelled ? nil : .failed("the browser is gone")
                }
                group.addTask { try await self.carryOut(page) }
                defer { group.cancelAll() }
                while let result = try await group.next() {
                    if let result { return result }
                }
                return nil
            }
        } catch {
            return Task.isCancelled ? nil : (error as? RoomEnd ?? .failed("\(error)"))
        }
    }

    /// Carries out the orders, one after another.
    private func carryOut(_ page: PageBrowser) async throws -> RoomEnd? {
        try await page.begin()
        await load(page)
        for await one in work {
            switch one {
            case .lost(let why): return .failed(why)
            case .order(.show):
                log.write("\(UnixTime.now)", "shown", PageWords.address(address.page.text))
                try await connect(page)
            case .order(.reload(let why)):
                logger.warning("the page is loaded anew", metadata: ["why": "\(why)"])
                log.write("\(UnixTime.now)", "reload", why)
                await load(page)
            case .order(.end(let reason)): return .roomEnded(reason: reason)
            case .order(.fail(let reason)):
                log.write("\(UnixTime.now)", "failed", reason)
                if let picture = await page.picture() { log.keep(picture: picture) }
                return .givenUp(reason)
            }
        }
        return nil
    }

    private func load(_ page: PageBrowser) async {
        do {
            try await page.openStage()
            // Not awaited: a server that never answers must not keep the watch from giving up.
            Task {
                if let error = await page.navigate() {
                    happened(.unreachable(error), as: "unreachable", error)
                }
            }
        } catch {
            guard !Task.isCancelled else { return }
            happened(.crashed("the page's tab cannot be opened: \(error)"), as: "error", "\(error)")
        }
    }

    /// Connects the sender to the bot: from now on the page is in the stream.
    private func connect(_ page: PageBrowser) async throws {
        let (feed, makeObserver) = (feed, makeObserver)
        let makeTabObserver: @Sendable () -> any ClientMediaObserver = {
            TabObserver(makeObserver())
        }
        let media = try await ClientMedia.open(
            on: eventLoop,
            configuration: ClientMedia.Configuration(
                directions: [.subscribe], network: guest.network,
                receivesVideo: guest.receivesVideo, namesTracksBySection: true,
                readingInterval: guest.readingInterval),
            makeObserver: makeTabObserver
        ) { _, state in feed.send(.path(state)) }
        self.media = media
        feed.send(.joined)
        let offer = try SessionDescription.parse(try await page.offer())
        let answer = try await media.run { try $0.subscribeOffer(offer) }
        var tracks = try await media.run { media in
            media.incomingTracks.map {
                RemoteTrack(id: TrackID($0.trackID), isVideo: false, source: .presentation)
            }
        }
        if guest.receivesVideo {
            tracks.append(RemoteTrack(id: Self.picture, isVideo: true, source: .presentation))
            showPictures(through: media)
        }
        guard !tracks.isEmpty else { throw RoomEnd.protocolViolation("the browser sends nothing") }
        feed.send(.roster([RemotePeer(id: Self.peer, name: "", tracks: tracks)]))
        try await page.answer(answer.rendered())
        if let picture = await page.picture() { log.keep(picture: picture) }
    }

    private func closePictureSocket() {
        if let socket = pictureSocket.take() { Glibc.close(socket) }
    }

    private func showPictures(through media: NIOLoopBound<ClientMedia>) {
        guard let socket = pictureSocket.take() else { return }
        let pictures = PictureFeed(
            socket: socket, ring: PictureRing(width: address.width, height: address.height),
            frameRate: address.frameRate)
        self.pictures = pictures
        Task { [workSink] in
            for await event in pictures.events {
                switch event {
                case .picture(let picture):
                    _ = try? await media.run { $0.receive(picture, of: Self.picture) }
                case .failed(let why): workSink.yield(.lost(why))
                }
            }
        }
    }

    /// Lets time pass for the watch, and asks a page that is shown for a sign of life.
    private func tick() async -> RoomEnd? {
        var asked = MonotonicClock.now
        while (try? await Task.sleep(for: Self.tickInterval)) != nil {
            let now = MonotonicClock.now
            if let order = watch.timePassed(at: now) { workSink.yield(.order(order)) }
            guard watch.isShown, now - asked >= Self.heartbeat, let browser else { continue }
            asked = now
            Task {
                if await browser.isAlive() { self.happened(.alive) }
            }
        }
        return nil
    }

    private func noticed(_ sign: PageSign) {
        switch sign {
        case .fact(let fact): happened(fact)
        case .line(let kind, let text, let fact):
            if let fact {
                happened(fact, as: kind, text)
            } else {
                log.write("\(UnixTime.now)", kind, text)
            }
        case .senderLost(let why): workSink.yield(.lost(why))
        }
    }

    private func happened(_ fact: PageWatch.Fact, as kind: String, _ words: String) {
        log.write("\(UnixTime.now)", kind, words)
        happened(fact)
    }

    private func happened(_ fact: PageWatch.Fact) {
        if let order = watch.handle(fact, at: MonotonicClock.now) { workSink.yield(.order(order)) }
    }

    private func close() async {
        browser = nil
        pictures?.stop()
        pictures = nil
        closePictureSocket()
        if let media { _ = try? await media.run { $0.stop() } }
        media = nil
        // The keeper then ends the browser, if it still runs.
        Glibc.close(address.browser.life)
        log.close()
    }
}
