import ControlAPI
import Jitsi

/// Conference requests that come by HTTP.
struct ConferenceDoor: JitsiGateway {
    let focus: JitsiFocus

    func requestConference(_ body: String) async -> (status: Int, body: String) {
        await focus.answer(json: body)
    }
}
