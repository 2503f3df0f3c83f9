public import Rooms

extension Policy {
    /// Three roles for people and one for the recorder: a `host` publishes and runs the stream, a
    /// `guest` publishes, a `viewer` only watches, and the hidden recorder receives everything.
    public static let standard: Policy = {
        let camera = VideoParameters(bitRate: 900, frameRate: 30, width: 1280, height: 720)
        let rates = [camera.bitRate, 300, 100]
        let layers = HundredMSTerms.rids.indices.map { index in
            SimulcastLayer(
                rid: HundredMSTerms.rids[index], scaleResolutionDownBy: Double(1 << index),
                maxBitrate: rates[index])
        }
        let screen = VideoParameters(bitRate: 1500, frameRate: 15, width: 1920, height: 1080)
        let publishing = PublishParameters(
            allowed: PublishParameters.Kind.allCases, audio: AudioParameters(bitRate: 32),
            video: camera, screen: screen,
            simulcast: SimulcastParameters(video: SimulcastLayers(layers: layers)))
        // Ten such cameras, or a screen and six.
        let everybody = SubscribeParameters(
            subscribeToRoles: ["host", "guest", "viewer"], maxSubsBitRate: 10 * camera.bitRate)
        var answering = Permissions()
        answering.pollRead = true
        return Policy(
            complete: [
                Role(
                    name: "host", priority: 1, publishParams: publishing,
                    subscribeParams: everybody, permissions: .all),
                Role(
                    name: "guest", priority: 2, publishParams: publishing,
                    subscribeParams: everybody, permissions: answering),
                Role(
                    name: "viewer", priority: 3, subscribeParams: everybody,
                    permissions: answering),
                Role(
                    name: HundredMSTerms.recorderRole, priority: 5, isHidden: true,
                    subscribeParams: everybody),
            ])
    }()
}

extension [Role] {
    /// These roles with the recorder's, which is always hidden.
    public var withRecorder: [Role] {
        var roles = self
        for index in roles.indices where roles[index].name == HundredMSTerms.recorderRole {
            roles[index].isHidden = true
        }
        if !roles.contains(where: { $0.name == HundredMSTerms.recorderRole }) {
            roles.append(Role(name: HundredMSTerms.recorderRole, isHidden: true))
        }
        return roles
    }
}
