import Glibc
import MediaKernel

/// The browser's program, and how it is called.
public enum BrowserProgram {
    /// Debian's, without the script that reads other flags; then what other systems have.
    static let paths = [
        "/usr/lib/chromium/chromium", "/usr/bin/chromium", "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome-stable",
    ]

    /// Nil if the machine has none.
    public static var path: String? { paths.first { access($0, X_OK) == 0 } }

    /// What to do without.
    public static let lack =
        "this machine has no Chromium; install Debian's package chromium (make install-custom-view)"

    /// What to capture is chosen by this title, which only our own first document has.
    static func stageTitle(_ key: String) -> String { "stage-\(key)" }

    /// Features that reveal or ask for something, and those whose processes nobody sees: the address
    /// bar's suggestions are pages of their own, of 50 to 80 MB each.
    private static let unwanted = [
        "WebRtcHideLocalIpsWithMdns", "Translate", "MediaRouter", "OptimizationHints",
        "AutofillServerCommunication", "InterestFeedContentSuggestions", "PreloadTopChromeWebUI",
        "WebUIOmniboxPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxAimPopup",
        "SpareRendererForSitePerProcess",
    ]

    /// - Parameters:
    ///   - profile: the browser's directory.
    ///   - proxyPort: of the guard on the loopback.
    ///   - hasSandbox: whether the browser can confine its own processes.
    static func arguments(
        profile: String, proxyPort: UInt16, stageKey: String, hasSandbox: Bool,
        hasSharedMemory: Bool = true
    ) -> [String] {
        var arguments = [
            "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(profile)",
            "--no-first-run", "--no-default-browser-check", "--disable-gpu",
            // One pixel of the page is one of the picture.
            "--force-device-scale-factor=1", "--hide-scrollbars",
            // A page plays without a click, and its picture does not rest while it is unseen.
            "--autoplay-policy=no-user-gesture-required",
            "--disable-renderer-backgrounding", "--disable-background-timer-throttling",
            "--disable-backgrounding-occluded-windows",
            // A page ends its stream by closing itself, though nobody's script opened it.
            "--blink-settings=allowScriptsToCloseWindows=true",
            // The capture, and the connection to the bot over the loopback.
            "--auto-select-tab-capture-source-by-title=\(stageTitle(stageKey))",
            "--allow-loopback-in-peer-connection",
            // Everything else goes through the guard, names too.
            "--proxy-server=http://127.0.0.1:\(proxyPort)", "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--disable-quic",
            "--dns-prefetch-disable",
            // Nothing that the browser does for itself.
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-default-apps", "--disable-extensions",
            "--disable-client-side-phishing-detection",
            "--disable-domain-reliability", "--disable-breakpad", "--disable-crash-reporter",
            "--no-pings", "--no-service-autorun", "--metrics-recording-only",
            "--deny-permission-prompts", "--password-store=basic", "--use-mock-keychain",
            "--disk-cache-size=\(32 << 20)",
            "--disable-features=\(unwanted.joined(separator: ","))",
        ]
        // Some containers have 64 MB of it, which is less than one picture after another needs.
        if !hasSharedMemory { arguments.append("--disable-dev-shm-usage") }
        if !hasSandbox { arguments.append("--no-sandbox") }
        return arguments + ["about:blank"]
    }
}
