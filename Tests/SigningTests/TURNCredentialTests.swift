import MediaKernel
import Signing
import Testing

@Suite struct TURNCredentialTests {
    /// `printf %s 1433895918:ninefingers | openssl dgst -sha1 -hmac … -binary | base64`
    @Test func theRelayReckonsTheSame() {
        let credential = TURNCredential(
            user: "ninefingers", secret: "north of the river",
            expiry: UnixTime(seconds: 1_433_895_918))
        #expect(credential.username == "1433895918:ninefingers")
        #expect(credential.password == "thWPHn92Q2aDbq5YFaj+Jx96Ifo=")
    }

    @Test func nothingOfTheUserOrTheEndCanBeChanged() {
        let end = UnixTime(seconds: 1_433_895_918)
        let passwords = [
            TURNCredential(user: "a", secret: "s", expiry: end),
            TURNCredential(user: "b", secret: "s", expiry: end),
            TURNCredential(user: "a", secret: "t", expiry: end),
            TURNCredential(user: "a", secret: "s", expiry: end + .seconds(1)),
        ].map(\.password)
        #expect(Set(passwords).count == 4)
    }
}
