import MediaKernel
import ObjectStorage
import Testing

/// The examples in Amazon's own documentation of Signature Version 4 for S3.
@Suite struct AWSSignatureTests {
    typealias Field = StoreRequest.Field

    /// 2013-05-24T00:00:00Z.
    private static let time = UnixTime(seconds: 1_369_353_600)
    private let signature = AWSSignature(
        credentials: AWSCredentials(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE",
            secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), region: "us-east-1")

    private func authorization(_ request: StoreRequest) -> String? {
        signature.signed(request, at: Self.time).headers
            .first { $0.name == "authorization" }?.value
    }

    private func request(
        _ method: String = "GET", _ path: String = "/", query: [Field] = [],
        headers: [Field] = [], hash: String = StoreRequest.emptyPayloadHash
    ) -> StoreRequest {
        StoreRequest(
            method: method, host: "examplebucket.s3.amazonaws.com", path: path, query: query,
            headers: headers, payloadHash: hash)
    }

    @Test func aRangeOfAnObject() {
        #expect(
            authorization(
                request("GET", "/test.txt", headers: [Field("Range", "bytes=0-9")]))
                == "AWS4-HMAC-SHA256 "
                + "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func anObjectIsPut() {
        let request = request(
            "PUT", "/test$file.text",
            headers: [
                Field("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                Field("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], hash: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
        #expect(request.target == "/test%24file.text")
        #expect(
            authorization(request)?.hasSuffix(
                "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
                == true)
    }

    @Test func aParameterWithoutValue() {
        let request = request(query: [Field("lifecycle", "")])
        #expect(request.target == "/?lifecycle=")
        #expect(
            authorization(request)?.hasSuffix(
                "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
                == true)
    }

    @Test func parametersAreSorted() {
        let request = request(query: [Field("prefix", "J"), Field("max-keys", "2")])
        #expect(
            authorization(request)?.hasSuffix(
                "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
                == true)
    }

    @Test func anAddressForADay() {
        let signed = signature.presigned(
            request("GET", "/test.txt"), at: Self.time, validity: .seconds(86_400))
        #expect(
            signed.query.last
                == Field(
                    "X-Amz-Signature",
                    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
        #expect(
            signed.target.hasPrefix(
                "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                    + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1"))
    }

    @Test func anAddressIsValidForAWeekAtMost() {
        let signed = signature.presigned(
            request(), at: Self.time, validity: .seconds(10_000_000))
        #expect(signed.query.contains(Field("X-Amz-Expires", "604800")))
    }

    @Test func aSessionTokenIsSentAndSigned() {
        var credentials = signature.credentials
        credentials.sessionToken = "token//=="
        let temporary = AWSSignature(credentials: credentials, region: "eu-central-1")
        let signed = temporary.signed(request(), at: Self.time)
        #expect(signed.headers.contains(Field("x-amz-security-token", "token//==")))
        #expect(
            signed.headers.last?.value.contains("x-amz-date;x-amz-security-token,") == true)
        let address = temporary.presigned(request(), at: Self.time, validity: .seconds(60))
        #expect(address.target.contains("X-Amz-Security-Token=token%2F%2F%3D%3D"))
    }
}
