import ArgumentParser
import MediaKernel
import Sandbox
import WebPage

/// Started by a bot, with the browser's pipe as descriptors 3 and 4.
struct BrowserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browser", abstract: "Keep the browser of one bot. Started by the bot.",
        shouldDisplay: false)

    @Option(
        help: "Whom to become if started as root: the numbers of a user and a group, 65534:65534.",
        transform: SystemUser.parsing)
    var user: SystemUser?

    @Option(help: "The port of the bot's guard on the loopback.")
    var proxyPort: UInt16

    @Option(help: "The key in the title of the document that is captured first.")
    var stage: String

    @Option(help: "The most memory of all processes of the browser, in bytes.")
    var memory: Int

    @Option(help: "The most cores that the browser may use.")
    var cores: Int

    @Option(name: .customLong("host"), help: "A host whose pages may use WebRTC.")
    var hosts: [String] = []

    func run() throws {
        guard let allowed = WebHosts(hosts, allowsHTTP: true) else {
            throw ValidationError("\(hosts) are not hosts")
        }
        OOMScore.raise(by: OOMScore.browser)
        let status = BrowserKeeper(
            BrowserKeeper.Options(
                user: user, proxyPort: proxyPort, stageKey: stage, memoryMaximum: memory,
                coresMaximum: cores, hosts: allowed)
        ).run()
        throw ExitCode(status)
    }
}
