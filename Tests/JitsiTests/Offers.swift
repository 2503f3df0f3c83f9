import XML

@testable import Jitsi

/// Sessions as jicofo describes them.
enum Offers {
    static let fingerprint = (0..<32).map { _ in "AB" }.joined(separator: ":")

    static let codecs = """
        <payload-type id='41' name='AV1' clockrate='90000'>\
        <rtcp-fb xmlns='urn:xmpp:jingle:apps:rtp:rtcp-fb:0' type='nack' subtype='pli'/>\
        </payload-type>\
        <payload-type id='42' name='rtx' clockrate='90000'>\
        <parameter name='apt' value='41'/></payload-type>\
        <payload-type id='100' name='VP8' clockrate='90000'>\
        <rtcp-fb xmlns='urn:xmpp:jingle:apps:rtp:rtcp-fb:0' type='ccm' subtype='fir'/>\
        <rtcp-fb xmlns='urn:xmpp:jingle:apps:rtp:rtcp-fb:0' type='transport-cc'/>\
        </payload-type>\
        <payload-type id='96' name='rtx' clockrate='90000'>\
        <parameter name='apt' value='100'/></payload-type>
        """

    static func transport(_ inside: String = "", ufrag: String = "bridge") -> String {
        """
        <transport xmlns='urn:xmpp:jingle:transports:ice-udp:1' ufrag='\(ufrag)' \
        pwd='password-of-the-bridge'><rtcp-mux/>\
        <candidate component='1' foundation='2' generation='0' id='x' ip='192.0.2.7' network='0' \
        port='10000' priority='2130706431' protocol='udp' type='host'/>\
        <candidate component='1' foundation='1' generation='0' id='y' ip='192.0.2.8' network='0' \
        port='10000' priority='1694498815' protocol='udp' rel-addr='10.0.0.1' rel-port='10000' \
        type='srflx'/>\
        <candidate component='1' foundation='3' generation='0' id='z' ip='192.0.2.7' network='0' \
        port='443' priority='1' protocol='ssltcp' type='host'/>\
        <fingerprint xmlns='urn:xmpp:jingle:apps:dtls:0' hash='sha-256' setup='actpass'>\
        \(fingerprint)</fingerprint>\
        <web-socket xmlns='http://jitsi.org/protocol/colibri' \
        url='wss://meet.example/colibri-ws/jvb/c/1a2b3c4d?pwd=p'/>\(inside)</transport>
        """
    }

    static let sctp = """
        <sctpmap xmlns='urn:xmpp:jingle:transports:dtls-sctp:1' number='5000' \
        protocol='webrtc-datachannel' streams='1024'/>
        """

    static func contents(hasData: Bool = true, ufrag: String = "bridge") -> String {
        """
        <content creator='initiator' name='audio' senders='both'>\
        <description xmlns='urn:xmpp:jingle:apps:rtp:1' media='audio' maxptime='60'>\
        <rtp-hdrext xmlns='urn:xmpp:jingle:apps:rtp:rtp-hdrext:0' id='1' \
        uri='urn:ietf:params:rtp-hdrext:ssrc-audio-level'/>\
        <payload-type id='111' name='opus' clockrate='48000' channels='2'>\
        <parameter name='minptime' value='10'/><parameter name='useinbandfec' value='1'/>\
        <rtcp-fb xmlns='urn:xmpp:jingle:apps:rtp:rtcp-fb:0' type='transport-cc'/></payload-type>\
        <payload-type id='126' name='telephone-event' clockrate='8000'/>\
        <extmap-allow-mixed xmlns='urn:xmpp:jingle:apps:rtp:rtp-hdrext:0'/><rtcp-mux/>\
        </description>\(transport(ufrag: ufrag))</content>\
        <content creator='initiator' name='video' senders='both'>\
        <description xmlns='urn:xmpp:jingle:apps:rtp:1' media='video'>\(codecs)\
        <rtp-hdrext xmlns='urn:xmpp:jingle:apps:rtp:rtp-hdrext:0' id='5' \
        uri='http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01'/>\
        <rtcp-mux/></description>\(transport(ufrag: ufrag))</content>
        """
            + (hasData
                ? """
                <content creator='initiator' name='data' senders='both'>\
                <description xmlns='urn:xmpp:jingle:apps:rtp:1' media='application'/>\
                \(transport(sctp, ufrag: ufrag))</content>
                """ : "")
    }

    /// Ann's camera with its repair, and her microphone.
    static let ann = """
        "0000000a":[[{"s":11,"n":"0000000a-v0","m":"a v"},{"s":12,"n":"0000000a-v0","m":"a v"}],\
        [["f",11,12]],[{"s":13,"n":"0000000a-a0","m":"a a"}]]
        """
    /// Ben's screen, and his microphone.
    static let ben = """
        "0000000b":[[{"s":21,"n":"0000000b-v1","v":"d"}],[],[{"s":23,"n":"0000000b-a0"}],[]]
        """
    static let bridge = """
        "jvb":[[{"s":5,"m":"mixedmslabel mixedlabelvideo0"}],[],\
        [{"s":6,"m":"mixedmslabel mixedlabelaudio0"}]]
        """

    static func json(_ owners: [String]) -> String {
        let text = "{\"sources\":{\(owners.joined(separator: ","))}}"
        return "<json-message xmlns='http://jitsi.org/jitmeet'>"
            + XMLElement.escaped(text, inAttribute: false) + "</json-message>"
    }

    static func jingle(
        _ action: String, session: String = "s1", _ inside: String = ""
    ) throws -> XMLElement {
        try XMLStreamReader.element(
            """
            <jingle xmlns='urn:xmpp:jingle:1' action='\(action)' \
            initiator='focus@auth.meet.example/focus' sid='\(session)'>\(inside)</jingle>
            """)
    }

    static func initiate(
        _ owners: [String] = [bridge, ann], session: String = "s1", hasData: Bool = true,
        ufrag: String = "bridge"
    ) throws -> XMLElement {
        try jingle(
            "session-initiate", session: session,
            contents(hasData: hasData, ufrag: ufrag) + json(owners)
                + """
                <group xmlns='urn:xmpp:jingle:apps:grouping:0' semantics='BUNDLE'>\
                <content name='audio'/><content name='video'/><content name='data'/></group>\
                <bridge-session xmlns='http://jitsi.org/protocol/focus' id='b1' region='r'/>
                """)
    }
}
