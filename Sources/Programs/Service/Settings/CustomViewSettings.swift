public import MediaKernel
import Streams
import WebPage

/// `customView.*`: whether and how pages of the web are streamed.
public struct CustomViewSettings: Hashable, Sendable {
    public var isEnabled = false
    /// The hosts that may be on the server's own machine and network, and may use WebRTC.
    public var hosts = WebHosts(allowsHTTP: true)
    /// Pages on air at a time, in all rooms.
    public var maximum = 2
    /// Of all processes of one browser, in bytes.
    public var memoryMaximum = PagePlan().memoryMaximum
    /// Cores that one browser may use.
    public var coresMaximum = PagePlan().coresMaximum

    /// Mebibytes; a browser alone takes some hundred.
    private static let memoryMebibytes = 512...65_536

    public init() {}

    mutating func read(_ source: SettingsSource) throws(SettingsError) {
        isEnabled = source.flag(.customViewEnabled) ?? false
        hosts = try source.hosts(.customViewHosts, allowsHTTP: true)
        maximum = try source.integer(.customViewMaximum, 1...100) ?? maximum
        if let mebibytes = try source.integer(.customViewMemoryMaximum, Self.memoryMebibytes) {
            memoryMaximum = mebibytes << 20
        }
        coresMaximum = try source.integer(.customViewCoresMaximum, 1...1024) ?? coresMaximum
        guard !isEnabled || BrowserProgram.path != nil else {
            throw .invalid(
                key: SettingKey.customViewEnabled.rawValue,
                reason: BrowserProgram.lack)
        }
    }

    /// - Throws: `pagesDisabled`.
    func plan(awaitsStartSignal: Bool) throws(LiveStreamError) -> PagePlan {
        guard isEnabled else { throw .pagesDisabled }
        return PagePlan(
            awaitsStartSignal: awaitsStartSignal, hosts: hosts, memoryMaximum: memoryMaximum,
            coresMaximum: coresMaximum)
    }
}
