import MediaKernel
import Testing

@testable import ControlAPI

/// Ids of rooms whose names are in any script. The pages' own tests have the same.
@Suite struct RoomNameTests {
    /// Those of RFC 3492, sect. 7.1, and others.
    @Test(arguments: [
        ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
        ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
        (
            "세계의모든사람들이한국어를이해한다면얼마나좋을까",
            "989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c"
        ),
        ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"), ("-> $1.00 <-", "-> $1.00 <--"), ("a", "a-"),
    ])
    func punycodeIsThatOfTheStandard(text: String, code: String) {
        #expect(Punycode.encoded(text) == code)
        #expect(Punycode.decoded(code) == text)
    }

    @Test(arguments: [
        ("Monday stand-up", "monday-stand-up", "monday-stand-up"), ("Café", "cafe", "cafe"),
        ("한국어", "xn--3e0bk47br7k", "한국어"), ("العربية", "xn--mgbcd4a2b0d2b", "العربية"),
        ("🎉 Party 🎉", "xn---party--yk84fha", "🎉-party-🎉"), ("ＡＢＣ", "abc", "abc"),
        ("Straße", "xn--strae-oqa", "straße"), ("-a_b--c-", "a_b--c", "a_b--c"),
    ])
    func aNameIsReadFromItsIDAgain(name: String, id: String, title: String) {
        #expect(RoomName.id(of: name)?.rawValue == id)
        #expect(RoomName.title(of: RoomID(id)) == title)
    }

    @Test(arguments: ["", " ", "!?", "\u{202E}", String(repeating: "한글", count: 40)])
    func noRoomHasSuchAName(name: String) {
        #expect(RoomName.id(of: name) == nil)
    }

    /// Clients of rooms may choose any id.
    @Test(arguments: [
        "xn--", "xn--a", "xn--zzzzzzzzzzzzzz", "xn--99999999", "xn--A-b", "xn---",
        "XN--3e0bk47br7k",
    ])
    func anIDThatIsNoNameIsShownAsItIs(id: String) {
        #expect(RoomName.title(of: RoomID(id)) == id)
    }

    @Test func noTextIsTooMuch() {
        let code = "989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd"
        for length in 0...code.count {
            _ = Punycode.decoded(code.prefix(length))
            _ = RoomName.title(of: RoomID("xn--\(code.prefix(length))"))
        }
    }
}
