import Foundation
import MediaKernel
import ObjectStorage
import Testing

@Suite struct ObjectStoreTests {
    typealias Field = StoreRequest.Field

    private func store(
        _ addressing: ObjectStore.Addressing = .path, prefix: String = "a/b",
        encryption: ObjectStore.Encryption? = nil
    ) -> ObjectStore {
        ObjectStore(
            isTLS: true, authority: "store.example.org:9000", region: "r", addressing: addressing,
            bucket: "bucket", prefix: prefix, encryption: encryption)
    }

    @Test func theBucketStandsInThePathOrInTheHost() {
        let byPath = store(.path)
        let location = byPath.location(of: "hls/x.mp4")
        #expect(location.description == "s3://bucket/a/b/hls/x.mp4")
        #expect(
            byPath.url(of: byPath.head(location))
                == "https://store.example.org:9000/bucket/a/b/hls/x.mp4")
        let byHost = store(.host, prefix: "")
        #expect(
            byHost.url(of: byHost.head(byHost.location(of: "x.mp4")))
                == "https://bucket.store.example.org:9000/x.mp4")
        #expect(byHost.uploads(to: byHost.location(of: "x")).path == "/")
        #expect(
            byPath.uploads(to: location).target == "/bucket/?prefix=a%2Fb%2Fhls%2Fx.mp4&uploads=")
    }

    @Test func aLocationIsReadAsItIsWritten() {
        let location = ObjectLocation(bucket: "b", key: "k/e/y")
        #expect(ObjectLocation(location.description) == location)
        for text in ["", "s3://", "s3://b", "s3://b/", "s3:///k", "hls/x", "http://b/k"] {
            #expect(ObjectLocation(text) == nil)
        }
    }

    @Test func encryptionIsAskedForWhenAnUploadBegins() {
        let location = ObjectLocation(bucket: "b", key: "k")
        func headers(_ encryption: ObjectStore.Encryption?) -> [Field] {
            store(encryption: encryption).create(location, contentType: "video/mp4").headers
                .filter { $0.name.contains("encryption") }
        }
        #expect(headers(nil) == [])
        #expect(headers(.aes256) == [Field("x-amz-server-side-encryption", "AES256")])
        #expect(
            headers(.keyManagement(keyID: nil))
                == [Field("x-amz-server-side-encryption", "aws:kms")])
        #expect(
            headers(.keyManagement(keyID: "k")).last
                == Field("x-amz-server-side-encryption-aws-kms-key-id", "k"))
    }

    @Test func aWholeObjectIsPutUnderItsDigestWithItsEncryption() {
        let location = ObjectLocation(bucket: "b", key: "k")
        let request = store(encryption: .aes256).put(
            location, contentType: "video/mp2t", cacheControl: "no-cache", digest: [0, 255, 16])
        #expect(request.method == "PUT" && request.target == "/b/k")
        #expect(request.payloadHash == "00ff10")
        #expect(
            request.headers == [
                Field("cache-control", "no-cache"), Field("content-type", "video/mp2t"),
                Field("x-amz-checksum-sha256", "AP8Q"),
                Field("x-amz-server-side-encryption", "AES256"),
            ])
    }

    @Test func encryptionIsAskedForByNoOtherRequest() {
        let store = store(encryption: .keyManagement(keyID: "k"))
        let location = ObjectLocation(bucket: "b", key: "k")
        let others = [
            store.send(part: 1, of: "u", to: location, digest: [1]),
            store.complete("u", parts: [], at: location).0, store.abort("u", at: location),
            store.head(location), store.get(location), store.delete(location),
        ]
        #expect(others.flatMap(\.headers).allSatisfy { !$0.name.contains("encryption") })
    }

    @Test func aPartIsSentUnderItsDigest() {
        let request = store().send(
            part: 3, of: "u/1", to: ObjectLocation(bucket: "b", key: "k"), digest: [0, 255, 16])
        #expect(request.target == "/b/k?partNumber=3&uploadId=u%2F1")
        #expect(request.payloadHash == "00ff10")
        #expect(request.headers == [Field("x-amz-checksum-sha256", "AP8Q")])
    }

    @Test func partsArePutTogetherInTheirOrder() {
        let (request, body) = store().complete(
            "u", parts: [.init(number: 1, entityTag: "\"a&b\"", digest: [1])],
            at: ObjectLocation(bucket: "b", key: "k"))
        #expect(request.method == "POST" && request.target == "/b/k?uploadId=u")
        let text = String(decoding: body, as: UTF8.self)
        #expect(
            text.contains(
                "<Part><PartNumber>1</PartNumber><ETag>&quot;a&amp;b&quot;</ETag>"
                    + "<ChecksumSHA256>AQ==</ChecksumSHA256></Part>"))
    }

    @Test func aStoreThatTakesNoChecksumsIsAskedWithout() {
        var store = store()
        store.takesChecksums = false
        let location = ObjectLocation(bucket: "b", key: "k")
        let (complete, body) = store.complete(
            "u", parts: [.init(number: 1, entityTag: "t", digest: [1])], at: location)
        let requests = [
            store.create(location, contentType: "video/mp4"), complete, store.head(location),
            store.send(part: 1, of: "u", to: location, digest: [1]),
            store.put(location, contentType: "c", cacheControl: "n", digest: [1]),
        ]
        #expect(requests.flatMap(\.headers).allSatisfy { !$0.name.contains("checksum") })
        #expect(!String(decoding: body, as: UTF8.self).contains("Checksum"))
        // The content is signed all the same.
        #expect(requests.suffix(2).allSatisfy { $0.payloadHash == "01" })
    }

    @Test func aLinkCanNameTheFileToSaveItUnder() {
        let access = StoreAccess(store: store()) {
            AWSCredentials(accessKeyID: "id", secretAccessKey: "secret")
        }
        let location = ObjectLocation(bucket: "b", key: "k.mp4")
        let now = UnixTime(seconds: 1_770_000_000)
        let link = access.link(to: location, at: now, validity: .seconds(3_000_000))
        #expect(link.hasPrefix("https://store.example.org:9000/b/k.mp4?X-Amz-Algorithm="))
        #expect(link.contains("X-Amz-Expires=604800") && !link.contains("secret"))
        let download = access.link(
            to: location, for: .download(name: "k.mp4"), at: now, validity: .seconds(60))
        #expect(
            download.contains(
                "response-content-disposition=attachment%3B%20filename%3D%22k.mp4%22"))
        // For some players the end of an address determines the type.
        let segments = access.link(
            to: location, for: .segments, at: now, validity: .seconds(60))
        #expect(segments.contains("response-content-type=video%2Fmp2t"))
        #expect(segments.hasSuffix("&x-segment=.ts"))
    }
}

@Suite struct StoreAnswerTests {
    @Test func anUploadsIDIsRead() {
        let body = """
            <?xml version="1.0"?><InitiateMultipartUploadResult xmlns="x"><Bucket>b</Bucket>
            <UploadId>a&amp;b</UploadId></InitiateMultipartUploadResult>
            """
        let answer = StoreAnswer(status: 200, body: Array(body.utf8))
        #expect(answer.isSuccess && answer.uploadID == "a&b")
        #expect(StoreAnswer(status: 200).uploadID == nil)
    }

    @Test func anErrorBehindASuccessIsNone() {
        let body = "<?xml version='1.0'?>\n<Error><Code>InternalError</Code></Error>"
        // Amazon's sends spaces while it assembles the parts.
        for text in [body, " \n \(body)\n", body.replacing("?>", with: "?>\n  \n")] {
            let answer = StoreAnswer(status: 200, body: Array(text.utf8))
            #expect(!answer.isSuccess)
            #expect(answer.failure == .unavailable && answer.reason == "200 InternalError")
        }
    }

    /// As MinIO, Ceph, Backblaze B2 and Google's store write them.
    @Test(arguments: [
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <Error><Code>NoSuchUpload</Code><Message>gone</Message><Key>a</Key><BucketName>b\
        </BucketName><Resource>/b/a</Resource><RequestId>17</RequestId><HostId>d8</HostId></Error>
        """,
        """
        <?xml version="1.0" encoding="UTF-8"?><Error><Code>NoSuchUpload</Code>\
        <Message>gone</Message><BucketName>b</BucketName><RequestId>tx0-default</RequestId>\
        <HostId>1-default</HostId></Error>
        """,
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <Error>
            <Code>NoSuchUpload</Code>
            <Message>gone</Message>
        </Error>

        """,
        "<?xml version='1.0' encoding='utf-8'?><s:Error xmlns:s='http://x/'><s:Code>NoSuchUpload"
            + "</s:Code><s:Message><![CDATA[gone]]></s:Message><s:Details/></s:Error>",
    ]) func storesWriteXMLInTheirOwnWays(body: String) {
        let answer = StoreAnswer(status: 404, body: Array(body.utf8))
        #expect(answer.failure == .uploadGone && answer.reason == "404 NoSuchUpload: gone")
    }

    /// What names an error without being one, and what is no XML: the status decides.
    @Test(arguments: [
        "<Result><!-- <Error><Code>InternalError</Code></Error> --></Result>",
        "<Result><Note><![CDATA[<Error><Code>InternalError</Code></Error>]]></Note></Result>",
        "<!DOCTYPE html><html><body>503 <Error><Code>InternalError</Code></Error></body></html>",
        "<Error><Code>InternalError</Code>", "<html><p>moved<br></html>", "gone", "\u{0}", " ",
    ]) func whatIsNoErrorIsNone(body: String) {
        #expect(StoreAnswer(status: 200, body: Array(body.utf8)).isSuccess)
        let answer = StoreAnswer(status: 503, body: Array(body.utf8))
        #expect(!answer.isSuccess && answer.code == nil && answer.failure == .unavailable)
        #expect(answer.reason == "503" && !answer.mayRefuseChecksums && answer.uploadID == nil)
    }

    /// The code decides whether the request is sent once more without checksums, not the sentence.
    @Test(arguments: [
        (400, "InvalidArgument", true), (400, "InvalidRequest", true), (400, "MalformedXML", true),
        (400, "NotImplemented", true), (501, "NotImplemented", true), (501, "Other", true),
        (400, "BadDigest", false), (400, "XAmzContentChecksumMismatch", false),
        (403, "InvalidArgument", false),
    ]) func aChecksumThatDoesNotFitIsNotLeftOut(status: Int, code: String, isLeftOut: Bool) {
        let error = "<Error><Code>\(code)</Code><Message>the checksum</Message></Error>"
        let answer = StoreAnswer(status: status, body: Array(error.utf8))
        #expect(answer.mayRefuseChecksums == isLeftOut)
    }

    @Test func anUploadsIDIsShort() {
        func uploadID(_ count: Int) -> String? {
            let id = String(repeating: "u", count: count)
            return StoreAnswer(status: 200, body: Array("<R><UploadId>\(id)</UploadId></R>".utf8))
                .uploadID
        }
        #expect(uploadID(0) == nil && uploadID(4096)?.utf8.count == 4096 && uploadID(4097) == nil)
    }

    @Test(arguments: [
        ("NoSuchUpload", 404, MultipartUpload.Failure.uploadGone),
        ("InvalidPart", 400, .partsRefused), ("NoSuchBucket", 404, .unavailable),
        ("AccessDenied", 403, .unavailable), ("SlowDown", 503, .unavailable),
    ]) func whatFailedIsToldApart(code: String, status: Int, failure: MultipartUpload.Failure) {
        let answer = StoreAnswer(
            status: status, body: Array("<Error><Code>\(code)</Code></Error>".utf8))
        #expect(answer.failure == failure && answer.reason == "\(status) \(code)")
    }

    @Test func theStoresOwnWordsAreSaidInOneShortLine() {
        func reason(_ message: String, attributes: String = "") -> String {
            StoreAnswer(
                status: 400,
                body: Array(
                    """
                    <?xml version="1.0"?><Error\(attributes)><Code>InvalidArgument</Code>
                    <Message>\(message)</Message><Resource>/b</Resource></Error>
                    """.utf8)
            ).reason
        }
        #expect(reason("no &quot;x&quot;") == "400 InvalidArgument: no \"x\"")
        #expect(reason("&amp;lt; is &lt;") == "400 InvalidArgument: &lt; is <")
        #expect(
            reason("a", attributes: " xmlns='http://x'") == "400 InvalidArgument: a")
        #expect(
            reason("a\r\nb\u{85}c\u{2028}d\u{202E}e") == "400 InvalidArgument: a b c d e")
        #expect(reason(String(repeating: "a", count: 9000)).count == 322)
        #expect(reason("") == "400 InvalidArgument")
    }

    @Test func aPartsTagIsTheMD5OfTheirMD5s() {
        // Computed with another implementation: md5(md5("abc") + md5("d"))-2
        var tag = PartsTag()
        tag.update(Array("ab".utf8))
        tag.update(Array("c".utf8))
        tag.endPart()
        tag.update(Array("d".utf8))
        tag.endPart()
        #expect(tag.matches("\"26b10a702bd95f42e3c2737f5975aa20-2\""))
        #expect(!tag.matches("\"26b10a702bd95f42e3c2737f5975aa20-3\"") && !tag.matches(""))
    }

    @Test func onlyTheUploadsOfTheKeyAreNamed() {
        let body = """
            <R><Upload><Key>a</Key><UploadId>1</UploadId></Upload><Upload><UploadId>2</UploadId>
            <Key>ab</Key></Upload><Upload><Key>a</Key><UploadId>3</UploadId></Upload></R>
            """
        let answer = StoreAnswer(status: 200, body: Array(body.utf8))
        #expect(answer.uploadIDs(to: "a") == ["1", "3"])
        // Cut off anywhere, it names no wrong parts.
        for count in body.utf8.indices {
            let part = StoreAnswer(status: 200, body: Array(body.utf8[..<count]))
            #expect(["1", "3"].starts(with: part.uploadIDs(to: "a")))
        }
    }

    @Test func noBytesAreTooStrangeToBeRead() {
        var random = SeededRandom(seed: 7)
        let pieces = [
            "<Upload>", "</Upload>", "<Key>", "</Key>", "<UploadId>", "<Error>", "a", "&",
        ]
        for _ in 0..<500 {
            var body: [UInt8] = []
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                body += (pieces.randomElement(using: &random) ?? "").utf8
                if Bool.random(using: &random) {
                    body.append(UInt8.random(in: 0...255, using: &random))
                }
            }
            let answer = StoreAnswer(status: 500, body: body)
            #expect(answer.uploadIDs(to: "a").count <= 30)
            _ = (answer.uploadID, answer.code, answer.reason, answer.failure)
        }
    }
}

@Suite struct AWSCredentialsTests {
    private let text = """
        # written by somebody
        [other]
        aws_access_key_id = wrong
        [ default ]
        AWS_ACCESS_KEY_ID=AKIA
        aws_secret_access_key =  a=b/c
        aws_session_token = token==
        region = x
        """

    @Test func aFileIsReadAsAmazonsToolsWriteIt() {
        let credentials = AWSCredentials(parsing: text)
        #expect(credentials?.accessKeyID == "AKIA" && credentials?.secretAccessKey == "a=b/c")
        #expect(credentials?.sessionToken == "token==")
        #expect(AWSCredentials(parsing: text, section: "other") == nil)
        #expect(AWSCredentials(parsing: "") == nil)
    }

    @Test func theirDescriptionKeepsTheSecretsBack() {
        let credentials = AWSCredentials(parsing: text)
        #expect("\(String(describing: credentials))".contains("AKIA"))
        #expect(
            !"\(String(describing: credentials)) \(String(reflecting: credentials))".contains("a=b")
        )
    }
}
