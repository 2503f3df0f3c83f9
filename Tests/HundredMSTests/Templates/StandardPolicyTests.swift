import HundredMSTerms
import Rooms
import Testing

@Suite struct StandardPolicyTests {
    @Test func theStandardPolicyIsWhole() throws {
        let standard = Policy.standard
        #expect(try Policy(validating: standard.roles) == standard)
        #expect(TemplateRules.faults(of: standard.roles, roomState: standard.roomState) == [])
        #expect(standard.roles.map(\.name) == ["host", "guest", "viewer", "__internal_recorder"])
        #expect(standard.role("viewer")?.publishParams.allowed == [])
        #expect(standard.role("host")?.permissions.hlsStreaming == true)
        #expect(standard.role("guest")?.permissions.hlsStreaming == false)
        let layers = try #require(standard.role("host")?.publishParams.simulcast?.video.layers)
        #expect(layers.map(\.rid) == ["f", "h", "q"])
        #expect(layers.map(\.scaleResolutionDownBy) == [1, 2, 4])
        #expect(layers.map(\.maxBitrate) == [900, 300, 100])
        let recorder = try #require(standard.role(HundredMSTerms.recorderRole))
        #expect(recorder.isHidden)
        #expect(recorder.publishParams.allowed.isEmpty)
        #expect(recorder.subscribeParams.subscribeToRoles == ["host", "guest", "viewer"])
    }

    @Test func theRecorderIsAddedAndHidden() {
        let recorder = Role(name: "__internal_recorder", isHidden: true)
        #expect([Role(name: "x")].withRecorder == [Role(name: "x"), recorder])
        #expect(
            [Role(name: "__internal_recorder"), Role(name: "x")].withRecorder
                == [recorder, Role(name: "x")])
    }
}
