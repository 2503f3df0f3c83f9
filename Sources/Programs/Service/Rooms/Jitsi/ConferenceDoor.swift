import ControlAPI
import Jitsi
import RoomHost

/// What comes from Jitsi's clients by HTTP: conference requests, and channels of the bridge.
struct ConferenceDoor: JitsiGateway {
    let focus: JitsiFocus

    func requestConference(_ body: String) async -> (status: Int, body: String) {
        await focus.answer(json: body)
    }

    func admits(_ channel: JitsiChannel) async -> Bool {
        await focus.admits(BridgeAddress(channel))
    }

    func open(
        _ channel: JitsiChannel, socket: WebSocketConnection, messages: WebSocketMessages
    ) async {
        let place = await focus.open(
            BridgeAddress(channel), over: ClientSocket(connection: socket))
        // Its session may have ended since it was admitted.
        guard let place else {
            return socket.close(code: CloseCode.goingAway, reason: "the session is over")
        }
        for await text in messages { await place.received(text) }
        await place.closed()
    }
}

extension BridgeAddress {
    fileprivate init(_ channel: JitsiChannel) {
        self.init(
            conference: channel.conference, endpoint: channel.endpoint,
            password: channel.password)
    }
}
