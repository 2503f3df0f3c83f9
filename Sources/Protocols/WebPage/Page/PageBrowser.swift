import Foundation
import MediaKernel

/// The browser's two tabs: the sender's, and the page's, which is another one after each reload.
actor PageBrowser {
    private struct Tab: Hashable {
        var target: String
        var session: String
    }

    private static let pollInterval: Duration = .milliseconds(50)
    private static let stagePatience: Duration = .seconds(10)
    /// For a page whose server is slow to answer; the watch gives up earlier.
    private static let navigationPatience: Duration = .seconds(60)
    private static let heartbeatPatience: Duration = .seconds(4)

    private let tools: DevTools
    private let address: WebPageAddress
    private let ring: PictureRing
    private let showsVideo: Bool
    /// The page's, in memory only and gone with it.
    private var context: String?
    private var sender: Tab?
    private var page: Tab?
    private var reader: PageReader?

    init(tools: DevTools, address: WebPageAddress, showsVideo: Bool) {
        self.tools = tools
        self.address = address
        ring = PictureRing(width: address.width, height: address.height)
        self.showsVideo = showsVideo
    }

    // MARK: Orders

    /// Prepares the browser and opens the sender.
    func begin() async throws {
        context = try await tools.call("Target.createBrowserContext")["browserContextId"]?.text
        await tools.post(
            "Browser.setDownloadBehavior",
            ["behavior": "deny"].merging(contextField) { first, _ in first })
        for name in [
            "camera", "microphone", "geolocation", "notifications", "midi", "clipboard-read",
        ] {
            await tools.post(
                "Browser.setPermission",
                ["permission": .object(["name": .string(name)]), "setting": "denied"]
                    .merging(contextField) { first, _ in first })
        }
        await tools.post("Target.setDiscoverTargets", ["discover": .bool(true)])
        // In the browser's own context, whose files are files.
        let sender = try await openTab(in: [:])
        self.sender = sender
        try await interceptOwnDocuments(in: sender)
        try await tools.call(
            "Page.navigate", ["url": .string(SenderPage.senderURL)], session: sender.session)
        try await waitFor("typeof answer == 'function'", in: sender)
    }

    /// Opens a new tab for the page, whose capture replaces that of the old one.
    func openStage() async throws {
        let old = page
        (page, reader) = (nil, nil)
        let tab = try await openTab(in: contextField)
        page = tab
        let session = tab.session
        try await interceptOwnDocuments(in: tab)
        try await tools.call(
            "Page.navigate", ["url": .string(SenderPage.stageURL)], session: session)
        let title = BrowserProgram.stageTitle(address.browser.stageKey)
        try await waitFor("document.title == '\(title)'", in: tab)
        guard let sender else { throw DevTools.Failure.closed }
        _ = try await tools.evaluate(
            "capture({video: \(showsVideo), width: \(address.width), height: \(address.height), "
                + "rate: \(address.frameRate)})", session: sender.session)
        try await fit(tab)
        try await tools.call("Fetch.disable", session: session)
        try await tools.call(
            "Page.addScriptToEvaluateOnNewDocument", ["source": .string(Self.refusesScreens)],
            session: session)
        if let old { await tools.post("Target.closeTarget", ["targetId": .string(old.target)]) }
        reader = PageReader(page: address.page, frame: tab.target)
    }

    /// Makes the tab's view as large as the picture. Its window has bars of its own, one of them
    /// since the capture began, and their sizes are the browser's affair.
    private func fit(_ tab: Tab) async throws {
        let zoom = Self.zoom(width: address.width)
        let (width, height) = (address.width * zoom, address.height * zoom)
        var fitting = 0
        for _ in 0..<Int(Self.stagePatience / Self.fitInterval) {
            let size = try await tools.evaluate(
                "[innerWidth, innerHeight]", session: tab.session
            ).list.compactMap(\.whole)
            guard size.count == 2 else {
                throw DevTools.Failure.unexpected(method: "Runtime.evaluate")
            }
            if size == [width, height] {
                fitting += 1
                if fitting == Self.fittingTimes { return try await setMetrics(tab, zoom) }
            } else {
                fitting = 0
                try await resize(tab, by: (width - size[0], height - size[1]))
            }
            try await Task.sleep(for: Self.fitInterval)
        }
        throw DevTools.Failure.silent(method: "a view of \(width)x\(height)")
    }

    /// Windows have a least width. In a smaller picture each pixel of the page is several of the
    /// view, which the capture scales down again.
    static func zoom(width: Int) -> Int { max(1, (widthMinimum + width - 1) / width) }

    /// Nobody is there to choose a screen, and this browser would wait for the choice: what a user
    /// who declines would answer. Frames of other hosts need a permission for it that they have not.
    private static let refusesScreens = """
        if (self.MediaDevices) {
          MediaDevices.prototype.getDisplayMedia = async function getDisplayMedia() {
            throw new DOMException("Permission denied", "NotAllowedError");
          };
        }
        """

    private static let widthMinimum = 500
    private static let fitInterval: Duration = .milliseconds(100)
    private static let fittingTimes = 3

    private func resize(_ tab: Tab, by change: (Int, Int)) async throws {
        let window = try await tools.call(
            "Browser.getWindowForTarget", ["targetId": .string(tab.target)])
        guard let id = window["windowId"], let width = window["bounds"]?["width"]?.whole,
            let height = window["bounds"]?["height"]?.whole
        else { throw DevTools.Failure.unexpected(method: "Browser.getWindowForTarget") }
        try await tools.call(
            "Browser.setWindowBounds",
            [
                "windowId": id,
                "bounds": .object([
                    "width": .integer(Int64(width + change.0)),
                    "height": .integer(Int64(height + change.1)),
                ]),
            ])
    }

    private func setMetrics(_ tab: Tab, _ zoom: Int) async throws {
        try await tools.call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(Int64(address.width)), "height": .integer(Int64(address.height)),
                "deviceScaleFactor": .integer(Int64(zoom)), "mobile": .bool(false),
            ], session: tab.session)
    }

    /// Loads the page in the present tab.
    ///
    /// - Returns: the browser's name of an error; nil if the page's server answers, or if there is
    ///   another tab by now.
    func navigate() async -> String? {
        guard let tab = page else { return nil }
        let answer = try? await tools.call(
            "Page.navigate", ["url": .string(PageURL.opened(address.page))], session: tab.session,
            within: Self.navigationPatience)
        guard tab == page else { return nil }
        // Aborted: the page has gone elsewhere meanwhile.
        let error = answer?["errorText"]?.text
        return error == "net::ERR_ABORTED" ? nil : error
    }

    /// - Returns: SDP.
    func offer() async throws -> String {
        guard let sender else { throw DevTools.Failure.closed }
        return try await tools.evaluate("offer()", session: sender.session).text ?? ""
    }

    func answer(_ description: String) async throws {
        guard let sender else { throw DevTools.Failure.closed }
        let lines = description.split(whereSeparator: \.isNewline).map { line in
            "'\(line.filter { $0 != "'" && $0 != "\\" })'"
        }
        _ = try await tools.evaluate(
            "answer([\(lines.joined(separator: ","))].join('\\r\\n') + '\\r\\n')",
            session: sender.session)
    }

    /// Whether the page reacts.
    func isAlive() async -> Bool {
        guard let page else { return false }
        let answer = try? await tools.call(
            "Runtime.evaluate", ["expression": "1"], session: page.session,
            within: Self.heartbeatPatience)
        return answer != nil
    }

    /// The page's present picture, as JPEG. Nil if there is none.
    func picture() async -> [UInt8]? {
        guard let page else { return nil }
        let answer = try? await tools.call(
            "Page.captureScreenshot", ["format": "jpeg", "quality": .integer(70)],
            session: page.session, within: Self.heartbeatPatience)
        return answer?["data"]?.text.flatMap { Base64.bytes($0) }
    }

    private func openTab(in context: [String: JSONValue]) async throws -> Tab {
        let target = try await tools.call(
            "Target.createTarget",
            ["url": "about:blank", "newWindow": .bool(true)].merging(context) { first, _ in first }
        )["targetId"]?.text
        let session = try await tools.call(
            "Target.attachToTarget",
            ["targetId": .string(target ?? ""), "flatten": .bool(true)])["sessionId"]?.text
        guard let target, let session else {
            throw DevTools.Failure.unexpected(method: "Target.attachToTarget")
        }
        for domain in ["Page", "Runtime", "Log", "Inspector"] {
            try await tools.call("\(domain).enable", session: session)
        }
        // Only the status of the page's own document is of interest, no content.
        try await tools.call(
            "Network.enable",
            ["maxTotalBufferSize": .integer(0), "maxResourceBufferSize": .integer(0)],
            session: session)
        await tools.post(
            "Page.setLifecycleEventsEnabled", ["enabled": .bool(true)], session: session)
        return Tab(target: target, session: session)
    }

    private var contextField: [String: JSONValue] {
        context.map { ["browserContextId": .string($0)] } ?? [:]
    }

    /// Has requests for our own documents wait for us.
    private func interceptOwnDocuments(in tab: Tab) async throws {
        try await tools.call(
            "Fetch.enable",
            ["patterns": .array([.object(["urlPattern": .string("\(SenderPage.origin)/*")])])],
            session: tab.session)
    }

    private func waitFor(_ condition: String, in tab: Tab) async throws {
        let attempts = Int(Self.stagePatience / Self.pollInterval)
        for _ in 0..<attempts {
            let value = try? await tools.evaluate(condition, session: tab.session)
            if value == .bool(true) { return }
            try await Task.sleep(for: Self.pollInterval)
        }
        throw DevTools.Failure.silent(method: condition)
    }

    // MARK: Events

    /// Never waits for the browser.
    func handle(_ event: DevToolsEvent) async -> [PageSign] {
        let fields = event.parameters
        switch event.method {
        case "Target.targetCrashed":
            let target = fields["targetId"]?.text
            if target == sender?.target { return [.senderLost("the sender's tab crashed")] }
            guard let target, target == page?.target else { return [] }
            return [
                .line(kind: "crash", "the page's tab crashed", .crashed("the page's tab crashed"))
            ]
        case "Target.targetDestroyed":
            let target = fields["targetId"]?.text
            if target == sender?.target { return [.senderLost("the sender's tab is gone")] }
            guard let target, target == page?.target else { return [] }
            return [.line(kind: "closed", "the page closed itself", .closed)]
        case "Target.targetCreated":
            // A page's own windows are nobody's picture.
            let info = fields["targetInfo"]
            guard info?["type"]?.text == "page", info?["openerId"] != nil,
                let target = info?["targetId"]
            else { return [] }
            await tools.post("Target.closeTarget", ["targetId": target])
            return []
        default: break
        }
        guard let session = event.session else { return [] }
        if event.method == "Fetch.requestPaused" {
            await fulfil(fields, session)
            return []
        }
        if event.method == "Page.javascriptDialogOpening" {
            let leaves = fields["type"]?.text == "beforeunload"
            await tools.post(
                "Page.handleJavaScriptDialog", ["accept": .bool(leaves)], session: session)
            return [
                .line(
                    kind: "dialog",
                    PageWords(of: address.page).shown(fields["message"]?.text ?? ""),
                    nil)
            ]
        }
        guard session == page?.session else { return [] }
        return reader?.signs(of: event.method, fields) ?? []
    }

    private func fulfil(_ fields: JSONValue, _ session: String) async {
        guard let request = fields["requestId"] else { return }
        let isOurs = session == sender?.session || (session == page?.session && reader == nil)
        guard isOurs, let url = fields["request"]?["url"]?.text else {
            await tools.post(
                "Fetch.failRequest", ["requestId": request, "errorReason": "AccessDenied"],
                session: session)
            return
        }
        let body = SenderPage.body(of: url, stageKey: address.browser.stageKey, ring: ring)
        await tools.post(
            "Fetch.fulfillRequest",
            [
                "requestId": request, "responseCode": .integer(200),
                "responseHeaders": .array([
                    .object([
                        "name": "Content-Type", "value": "text/html; charset=utf-8",
                    ])
                ]),
                "body": .string(Data(body.utf8).base64EncodedString()),
            ], session: session)
    }
}
