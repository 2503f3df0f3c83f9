import MediaKernel
import Signing
import Testing

@Suite struct WebhookSignatureTests {
    private let signature = WebhookSignature(secret: Array("a secret of the receiver".utf8))
    private let body = Array(#"{"type":"hls.started.success"}"#.utf8)
    private let time = UnixTime(seconds: 1_770_091_506)

    /// `printf %s '1770091506.{"type":"hls.started.success"}' | openssl dgst -sha256 -hmac …`
    @Test func itIsTheHMACOfTimeAndBody() {
        let headers = signature.headers(body: body, sentAt: time)
        #expect(headers.timestamp == "1770091506")
        #expect(
            headers.signature
                == "v1=2813c916d77075b45539bebfb522467724507c2a3c42f26c5f41ae04cdaa5f9a")
    }

    @Test func anotherBodyTimeOrSecretIsNotValid() {
        let (timestamp, code) = signature.headers(body: body, sentAt: time)
        func isValid(
            _ timestamp: String, _ code: String, _ body: [UInt8], after seconds: Int64 = 0
        ) -> Bool {
            signature.isValid(
                timestamp: timestamp, signature: code, body: body,
                at: UnixTime(seconds: time.seconds + seconds))
        }
        #expect(isValid(timestamp, code, body))
        #expect(isValid(timestamp, code, body, after: 300))
        #expect(!isValid(timestamp, code, body, after: 301))
        #expect(!isValid(timestamp, code, body, after: -301))
        #expect(!isValid(timestamp, code, body + [32]))
        #expect(!isValid("1770091507", code, body))
        #expect(!isValid("", code, body))
        #expect(!isValid("-9223372036854775808", code, body))
        #expect(!isValid(timestamp, "", body))
        #expect(!isValid(timestamp, "v1=", body))
        #expect(!isValid(timestamp, "v1=zz", body))
        #expect(!isValid(timestamp, String(code.dropFirst(3)), body))
        let other = WebhookSignature(secret: [1])
        #expect(!other.isValid(timestamp: timestamp, signature: code, body: body, at: time))
    }
}
