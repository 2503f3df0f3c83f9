import Jitsi
import Logging
import MediaKernel
import ServiceLifecycle
import XML
import XMPP
import XMPPClient

/// The lines to the XMPP server of `jitsi.focus`, one for each of our domains there, kept up while
/// the server runs.
struct JitsiLine: ServiceLifecycle.Service, StanzaPost {
    /// By domain, that of the focus first.
    private let components: [(domain: String, component: XMPPComponent)]
    private let logger: Logger
    private let box = FocusBox()

    init?(_ settings: JitsiSettings, logger: Logger) {
        guard let place = settings.place else { return nil }
        let focus = settings.focus
        components = [focus.component, focus.recorders].compactMap(\.self).map { domain in
            let component = XMPPComponent(
                domain: domain, secret: settings.secret, host: place.host, port: place.port,
                asked: focus.rooms)
            return (domain, component)
        }
        self.logger = logger
    }

    func post(_ stanza: XMLElement) {
        // The server takes from each line what is of its domain.
        let domain = stanza["from"].flatMap { JID($0) }?.domain
        components.first { $0.domain == domain }?.component.post(stanza)
    }

    /// - Parameter focus: gets what comes. Called once, before `run`.
    func attach(_ focus: JitsiFocus) async { await box.put(focus) }

    func run() async {
        guard let focus = await box.focus else { return }
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                for (domain, component) in components {
                    group.addTask { await stay(component, of: domain, focus) }
                }
            }
        }
    }

    private func stay(
        _ component: XMPPComponent, of domain: String, _ focus: JitsiFocus
    ) async {
        var backoff = Backoff()
        var random = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            let began = ContinuousClock.now
            let end = await component.run { event in
                if case .online = event {
                    logger.info(
                        "jitsi: connected to the XMPP server",
                        metadata: ["component": "\(domain)"])
                }
                await focus.take(event)
            }
            if Task.isCancelled { return }
            if ContinuousClock.now - began > Backoff.longest { backoff.reset() }
            // An operator may repair whatever it is, the secret at the server included.
            let pause = backoff.next(using: &random)
            logger.log(
                level: end.mayPass ? .warning : .error, "jitsi: no connection to the XMPP server",
                metadata: [
                    "component": "\(domain)", "reason": "\(end)",
                    "again": "\(pause.milliseconds) ms",
                ])
            try? await Task.sleep(for: pause)
        }
    }
}

private actor FocusBox {
    private(set) var focus: JitsiFocus?

    func put(_ focus: JitsiFocus) { self.focus = focus }
}
