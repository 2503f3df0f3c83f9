import Testing

@testable import RemoteRoom

/// What admits us to a room is hidden in strangers' words.
@Suite struct RoomSecretsTests {
    @Test(arguments: [
        ("a token of tok", "a … of …"), ("token", "…"), ("toktok", "……"), ("to ken", "to ken"),
        // They overlap: nothing of either remains.
        ("token-key", "…"), ("xtokey", "x…"), ("", ""), ("häh tok\u{301}", "häh …\u{301}"),
    ])
    func itIsHiddenWhereverItIs(words: String, shown: String) {
        #expect(RoomSecrets(["", "tok", "token", "en-key", "okey"]).hidden(in: words) == shown)
        #expect(RoomSecrets([""]).hidden(in: words) == words)
    }

    @Test func itIsHiddenWhereReadingEnds() {
        let maximum = RoomSecrets.readMaximum
        let secrets = RoomSecrets(["token"], mark: "*")
        for length in maximum - 6...maximum + 1 {
            let before = String(repeating: "x", count: length)
            let shown = String(repeating: "x", count: min(length, maximum))
            #expect(
                secrets.hidden(in: before + "token and more").prefix(length + 1)
                    == shown + (length < maximum ? "*" : ""))
        }
        // Between two scalars.
        let odd = "x" + String(repeating: "ä", count: maximum)
        #expect(secrets.hidden(in: odd) == odd.prefix(maximum / 2))
    }
}
