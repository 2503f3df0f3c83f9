import Rooms

extension Policy {
    static let recorderRole = "recorder"

    /// Three roles for people, and the recorder's.
    static let standard: Policy = {
        let publishing = PublishParameters(
            allowed: PublishParameters.Kind.allCases, audio: AudioParameters(bitRate: 32),
            video: VideoParameters(bitRate: 900, frameRate: 30, width: 1280, height: 720),
            screen: VideoParameters(bitRate: 1500, frameRate: 15, width: 1920, height: 1080))
        let everybody = SubscribeParameters(
            subscribeToRoles: ["host", "guest", "viewer"], maxSubsBitRate: 9000)
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
                Role(name: recorderRole, isHidden: true, subscribeParams: everybody),
            ])
    }()
}
