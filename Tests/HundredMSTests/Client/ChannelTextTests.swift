import MediaKernel
import RemoteRoom
import Testing

@testable import HundredMS

@Suite("What the server says on the data channel")
struct ChannelTextTests {
    @Test func layersBecomeAnEvent() throws {
        let text = #"""
            {"jsonrpc":"2.0","method":"on-track-layer-update","params":{"tracks":{"t":{
            "track_id":"t","current_layer":"low","expected_layer":"high",
            "subscriber_degraded":true,"publisher_degraded":false,
            "layers":[{"layer":"low","width":160,"height":90}]}}}}
            """#
        guard case .layers(let layers) = RemoteRoomEvent(channelText: text) else {
            Issue.record("no layers")
            return
        }
        #expect(
            layers == [
                TrackLayers(
                    track: "t", current: .low, expected: .high, isSubscriberDegraded: true,
                    layers: [.init(name: .low, width: 160, height: 90)])
            ])
    }

    @Test func speakersBecomeAnEvent() throws {
        let text = #"""
            {"jsonrpc":"2.0","method":"active-speakers","params":{"speaker-list":[
            {"peer_id":"ann","track_id":"voice","level":80}]}}
            """#
        guard case .activeSpeakers(let speakers) = RemoteRoomEvent(channelText: text) else {
            Issue.record("no speakers")
            return
        }
        #expect(speakers == [RemoteSpeaker(peer: "ann", track: "voice", level: 80)])
    }

    @Test(arguments: ["", "{}", "null", #"{"method":"active-speakers","params":{}}"#])
    func otherTextsAreNothing(text: String) {
        #expect(RemoteRoomEvent(channelText: text) == nil)
    }
}
