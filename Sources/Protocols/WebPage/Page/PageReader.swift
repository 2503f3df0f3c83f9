import MediaKernel

/// What an event of the browser means.
enum PageSign: Hashable, Sendable {
    case fact(PageWatch.Fact)
    /// A line for the page's log.
    case line(kind: String, String, PageWatch.Fact?)
    /// Our own tab is gone.
    case senderLost(String)
}

/// Reads the events of the page's tab. Its words are a stranger's: they are cut, and made fit for a
/// line.
struct PageReader: Hashable, Sendable {
    /// The tab's main frame has its number.
    private let frame: String
    private let words: PageWords
    /// The document that the tab shows, once it is one of the page's.
    private var document: String?

    init(page: WebAddress, frame: String) {
        self.frame = frame
        words = PageWords(of: page)
    }

    mutating func signs(of method: String, _ fields: JSONValue) -> [PageSign] {
        switch method {
        case "Page.frameNavigated": return navigated(fields["frame"])
        case "Page.lifecycleEvent":
            guard let loader = fields["loaderId"]?.text, loader == document,
                fields["frameId"]?.text == frame
            else { return [] }
            switch fields["name"]?.text {
            case "firstPaint", "firstContentfulPaint": return [.fact(.painted)]
            case "networkIdle", "networkAlmostIdle": return [.fact(.quiet)]
            default: return []
            }
        case "Network.responseReceived":
            guard fields["type"]?.text == "Document", fields["frameId"]?.text == frame,
                let status = fields["response"]?["status"]?.whole
            else { return [] }
            return [.fact(.answered(status: status))]
        case "Runtime.consoleAPICalled":
            let kind = words.shown(fields["type"]?.text ?? "log")
            let said = fields["args"]?.list.prefix(Self.argumentsMaximum).map(Self.text) ?? []
            let text = words.shown(said.joined(separator: " "))
            return [.line(kind: kind, text, kind == "error" ? .complained(text) : .said(text))]
        case "Runtime.exceptionThrown":
            let details = fields["exceptionDetails"]
            let text = words.shown(
                details?["exception"]?["description"]?.text ?? details?["text"]?.text ?? "")
            return [.line(kind: "exception", text, .complained(text))]
        case "Log.entryAdded": return logged(fields["entry"])
        default: return []
        }
    }

    private mutating func navigated(_ shown: JSONValue?) -> [PageSign] {
        guard let shown, shown["id"]?.text == frame else { return [] }
        let isOwn =
            shown["unreachableUrl"] == nil
            && shown["url"]?.text != SenderPage.stageURL
        document = isOwn ? shown["loaderId"]?.text : nil
        return isOwn ? [.fact(.committed)] : []
    }

    /// What the browser itself says of the page.
    private func logged(_ entry: JSONValue?) -> [PageSign] {
        let url = PageWords.address(entry?["url"]?.text ?? "")
        let level = words.shown(entry?["level"]?.text ?? "log")
        let text = words.shown("\(entry?["text"]?.text ?? "") \(url)")
        // The browser asks for that one by itself.
        let isError = level == "error" && !url.hasSuffix("/favicon.ico")
        return [.line(kind: level, text, isError ? .complained(text) : nil)]
    }

    private static let argumentsMaximum = 32

    private static func text(_ argument: JSONValue) -> String {
        switch argument["value"] {
        case .string(let text)?: text
        case .integer(let number)?: "\(number)"
        case .number(let number)?: "\(number)"
        case .bool(let value)?: "\(value)"
        default: argument["description"]?.text ?? argument["type"]?.text ?? ""
        }
    }
}
