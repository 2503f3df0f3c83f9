import HundredMSTerms
import Rooms
import Testing

@Suite struct TemplateRulesTests {
    func faults(_ roles: [Role]) -> [String] { TemplateRules.faults(of: roles, roomState: nil) }
    func reason(_ roles: [Role]) -> String { faults(roles).joined(separator: "; ") }

    /// A role with one changed field, and the resulting error.
    static let examples: [(@Sendable (inout Role) -> Void, String, String)] = [
        ({ $0.priority = 0 }, "priority", "is 0; 1 to 5 are allowed"),
        ({ $0.priority = 6 }, "priority", "is 6; 1 to 5 are allowed"),
        ({ $0.maxPeerCount = -2 }, "maxPeerCount", "is -2; -1 and more are allowed"),
        (
            { $0.publishParams.audio = AudioParameters(bitRate: 15) },
            "publishParams.audio.bitRate", "is 15; 16 to 128 are allowed"
        ),
        (
            { $0.publishParams.audio = AudioParameters(codec: "mp3") },
            "publishParams.audio.codec", "is 'mp3'; opus is allowed"
        ),
        (
            { $0.publishParams.video?.bitRate = 2001 }, "publishParams.video.bitRate",
            "is 2001; 30 to 2000 are allowed"
        ),
        (
            { $0.publishParams.video?.frameRate = 90 }, "publishParams.video.frameRate",
            "is 90; 1 to 30 are allowed"
        ),
        (
            { $0.publishParams.video?.width = 49 }, "publishParams.video.width",
            "is 49; 50 to 1920 are allowed"
        ),
        (
            { $0.publishParams.video?.height = 1081 }, "publishParams.video.height",
            "is 1081; 50 to 1080 are allowed"
        ),
        (
            { $0.publishParams.video?.codec = "flv" }, "publishParams.video.codec",
            "is 'flv'; vp8, vp9, h264, av1 is allowed"
        ),
        (
            { $0.publishParams.screen?.bitRate = 499 }, "publishParams.screen.bitRate",
            "is 499; 500 to 20000 are allowed"
        ),
        (
            { $0.publishParams.screen?.height = 269 }, "publishParams.screen.height",
            "is 269; 270 to 1080 are allowed"
        ),
        (
            { $0.subscribeParams.maxSubsBitRate = 0 }, "subscribeParams.maxSubsBitRate",
            "is 0; 1 to 1000000 are allowed"
        ),
        (
            {
                $0.subscribeParams.subscribeDegradation = SubscribeDegradation(
                    packetLossThreshold: 101)
            },
            "subscribeParams.subscribeDegradation.packetLossThreshold",
            "is 101; 1 to 100 are allowed"
        ),
        (
            {
                $0.subscribeParams.subscribeDegradation = SubscribeDegradation(
                    recoverGracePeriodSeconds: 0)
            },
            "subscribeParams.subscribeDegradation.recoverGracePeriodSeconds",
            "is 0; 1 to 10 are allowed"
        ),
    ]

    @Test(arguments: examples.indices)
    func aValueOutOfItsRangeIsNamed(index: Int) throws {
        var role = try #require(Policy.standard.role("host"))
        role.subscribeParams.subscribeToRoles = ["host"]
        role.name = "host"
        #expect(faults([role]) == [])
        let (change, path, fault) = Self.examples[index]
        change(&role)
        #expect(faults([role]) == ["'roles.host.\(path)' \(fault)"])
    }

    @Test(
        arguments: [
            ([SimulcastLayer(rid: "h", scaleResolutionDownBy: 1)], "0.rid' is 'h'; f is allowed"),
            (
                [SimulcastLayer(rid: "f", scaleResolutionDownBy: 2)],
                "0.scaleResolutionDownBy' is 2.0; the first layer has 1"
            ),
            (
                [SimulcastLayer(rid: "f"), SimulcastLayer(rid: "f", scaleResolutionDownBy: 2)],
                "1.rid' is 'f'; h or q is allowed"
            ),
            (
                [
                    SimulcastLayer(rid: "f"), SimulcastLayer(rid: "q", scaleResolutionDownBy: 2),
                    SimulcastLayer(rid: "h", scaleResolutionDownBy: 4),
                ], "2.rid' is 'h'; nothing is allowed behind 'q'"
            ),
            (
                [SimulcastLayer(rid: "f"), SimulcastLayer(rid: "h", scaleResolutionDownBy: 1)],
                "1.scaleResolutionDownBy' is 1.0; more than 1.0 and at most 12 is allowed"
            ),
            (
                [SimulcastLayer(rid: "f"), SimulcastLayer(rid: "h")],
                "1.scaleResolutionDownBy' is 0.0; more than 1.0 and at most 12 is allowed"
            ),
            (
                [SimulcastLayer(rid: "f", maxBitrate: 2001)],
                "0.maxBitrate' is 2001; 0 to 2000 are allowed"
            ),
            (
                [SimulcastLayer(rid: "f", maxFramerate: 0)],
                "0.maxFramerate' is 0; 1 to 30 are allowed"
            ),
        ] as [([SimulcastLayer], String)])
    func layersComeBestFirst(layers: [SimulcastLayer], fault: String) {
        let publish = PublishParameters(
            allowed: [.video],
            simulcast: SimulcastParameters(video: SimulcastLayers(layers: layers)))
        #expect(
            reason([Role(name: "x", publishParams: publish)])
                == "'roles.x.publishParams.simulcast.video.layers.\(fault)")
    }

    @Test func allFaultsAreNamedAtOnce() {
        #expect(
            reason([Role(name: "x", priority: 9), Role(name: "y", maxPeerCount: -3)])
                == "'roles.x.priority' is 9; 1 to 5 are allowed; "
                + "'roles.y.maxPeerCount' is -3; -1 and more are allowed")
        let layers = (0..<4).map { index in
            SimulcastLayer(
                rid: ["f", "h", "q", "q"][index], scaleResolutionDownBy: Double(index + 1))
        }
        let publish = PublishParameters(
            simulcast: SimulcastParameters(screen: SimulcastLayers(layers: layers)))
        #expect(
            reason([Role(name: "x", publishParams: publish)])
                == "'roles.x.publishParams.simulcast.screen.layers' has 4 layers; "
                + "at most 3 are allowed")
    }
}
