import Digests
public import MediaKernel

/// Signs requests to S3 and compatible stores with AWS Signature Version 4, in headers or in the
/// URL (docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html).
public struct AWSSignature: Sendable {
    public let credentials: AWSCredentials
    public let region: String
    private static let algorithm = "AWS4-HMAC-SHA256"
    private static let service = "s3"
    /// A presigned URL is valid for at most a week.
    public static let presignMaximum: Duration = .seconds(604_800)

    public init(credentials: AWSCredentials, region: String) {
        self.credentials = credentials
        self.region = region
    }

    /// Returns the request with all headers to send, including the signature.
    public func signed(_ request: StoreRequest, at now: UnixTime) -> StoreRequest {
        let date = AWSDate(now)
        var request = request
        request.headers.append(StoreRequest.Field("x-amz-date", date.dateTime))
        request.headers.append(
            StoreRequest.Field("x-amz-content-sha256", request.payloadHash))
        if let token = credentials.sessionToken {
            request.headers.append(StoreRequest.Field("x-amz-security-token", token))
        }
        let (headers, names) = Self.canonicalHeaders(of: request)
        let signature = signature(
            of: request, headers: headers, names: names, payloadHash: request.payloadHash,
            at: date)
        request.headers.append(
            StoreRequest.Field(
                "authorization",
                "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope(date)),"
                    + "SignedHeaders=\(names),Signature=\(signature)"))
        return request
    }

    /// Returns the request with its signature in the query, for a URL to give away.
    ///
    /// - Parameter validity: at most a week; longer values are cut.
    public func presigned(
        _ request: StoreRequest, at now: UnixTime, validity: Duration
    ) -> StoreRequest {
        let date = AWSDate(now)
        let seconds = min(max(validity, .seconds(1)), Self.presignMaximum).components.seconds
        var request = request
        let names = Self.canonicalHeaders(of: request).names
        request.query += [
            StoreRequest.Field("X-Amz-Algorithm", Self.algorithm),
            StoreRequest.Field("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope(date))"),
            StoreRequest.Field("X-Amz-Date", date.dateTime),
            StoreRequest.Field("X-Amz-Expires", String(seconds)),
            StoreRequest.Field("X-Amz-SignedHeaders", names),
        ]
        if let token = credentials.sessionToken {
            request.query.append(StoreRequest.Field("X-Amz-Security-Token", token))
        }
        let signature = signature(
            of: request, headers: Self.canonicalHeaders(of: request).lines, names: names,
            payloadHash: "UNSIGNED-PAYLOAD", at: date)
        request.query.append(StoreRequest.Field("X-Amz-Signature", signature))
        return request
    }

    private func scope(_ date: AWSDate) -> String {
        "\(date.date)/\(region)/\(Self.service)/aws4_request"
    }

    private func signature(
        of request: StoreRequest, headers: String, names: String, payloadHash: String,
        at date: AWSDate
    ) -> String {
        let canonical = [
            request.method, PercentEncoding.encoded(request.path, keepsSlashes: true),
            request.canonicalQuery, headers, names, payloadHash,
        ].joined(separator: "\n")
        let hash = Hexadecimal.text(Digest.sha256.hash(Array(canonical.utf8)))
        let text = [Self.algorithm, date.dateTime, scope(date), hash].joined(separator: "\n")
        var key = MACKey(Array("AWS4\(credentials.secretAccessKey)".utf8))
        for part in [date.date, region, Self.service, "aws4_request"] {
            key = MACKey(key.code(of: Array(part.utf8)))
        }
        return Hexadecimal.text(key.code(of: Array(text.utf8)))
    }

    /// All headers are signed, sorted by lower-case name; runs of spaces collapse into one.
    private static func canonicalHeaders(
        of request: StoreRequest
    ) -> (lines: String, names: String) {
        let all = request.headers + [StoreRequest.Field("host", request.host)]
        let sorted = all.map { field in
            let words = field.value.split(separator: " ").joined(separator: " ")
            return (name: field.name.lowercased(), value: words)
        }.sorted { $0.name < $1.name }
        return (
            sorted.map { "\($0.name):\($0.value)\n" }.joined(),
            sorted.map(\.name).joined(separator: ";")
        )
    }
}

/// A UTC time in the format of signatures: `20130524T000000Z`.
struct AWSDate {
    let date: String
    let dateTime: String

    init(_ time: UnixTime) {
        let civil = CivilTime(unixNanoseconds: time.nanoseconds)
        date = civil.compactDate
        dateTime = "\(date)T\(civil.compactTime)Z"
    }
}
