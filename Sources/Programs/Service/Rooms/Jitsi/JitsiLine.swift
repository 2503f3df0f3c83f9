import Jitsi
import Logging
import MediaKernel
import ServiceLifecycle
import XML
import XMPP
import XMPPClient

/// The line to the XMPP server of `jitsi.focus`, kept up while the server runs.
struct JitsiLine: ServiceLifecycle.Service, StanzaPost {
    private let component: XMPPComponent
    private let logger: Logger
    private let box = FocusBox()

    init?(_ settings: JitsiSettings, logger: Logger) {
        guard let place = settings.place else { return nil }
        component = XMPPComponent(
            domain: settings.focus.component, secret: settings.secret, host: place.host,
            port: place.port, asked: settings.focus.rooms)
        self.logger = logger
    }

    func post(_ stanza: XMLElement) { component.post(stanza) }

    /// - Parameter focus: gets what comes. Called once, before `run`.
    func attach(_ focus: JitsiFocus) async { await box.put(focus) }

    func run() async {
        guard let focus = await box.focus else { return }
        await cancelWhenGracefulShutdown { await self.stay(focus) }
    }

    private func stay(_ focus: JitsiFocus) async {
        var backoff = Backoff()
        var random = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            let began = ContinuousClock.now
            let end = await component.run { await focus.take($0) }
            if Task.isCancelled { return }
            if ContinuousClock.now - began > Backoff.longest { backoff.reset() }
            // An operator may repair whatever it is, the secret at the server included.
            let pause = backoff.next(using: &random)
            logger.log(
                level: end.mayPass ? .warning : .error, "jitsi: no connection to the XMPP server",
                metadata: ["reason": "\(end)", "again": "\(pause.milliseconds) ms"])
            try? await Task.sleep(for: pause)
        }
    }
}

private actor FocusBox {
    private(set) var focus: JitsiFocus?

    func put(_ focus: JitsiFocus) { self.focus = focus }
}
