import Crypto
public import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signs requests to S3 and what is compatible with it: AWS Signature Version 4, in headers or in
/// the address (docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html).
public struct AWSSignature: Sendable {
    public let credentials: AWSCredentials
    public let region: String
    private static let algorithm = "AWS4-HMAC-SHA256"
    private static let service = "s3"
    /// A signed address is valid for a week at most.
    public static let presignMaximum: Duration = .seconds(604_800)

    public init(credentials: AWSCredentials, region: String) {
        self.credentials = credentials
        self.region = region
    }

    /// The request with all headers that it is to be sent with, the signature among them.
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

    /// The request with its signature in the query, for whoever gets the address.
    ///
    /// - Parameter validity: cut to a week.
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
        let hash = Self.hexadecimal(SHA256.hash(data: Data(canonical.utf8)))
        let text = [Self.algorithm, date.dateTime, scope(date), hash].joined(separator: "\n")
        var key = SymmetricKey(data: Data("AWS4\(credentials.secretAccessKey)".utf8))
        for part in [date.date, region, Self.service, "aws4_request"] {
            key = SymmetricKey(
                data: HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
        return Self.hexadecimal(
            HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    }

    /// Every header is signed, sorted by its name in lower case, runs of spaces as one.
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

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// A time as signatures have it, in UTC: `20130524T000000Z`.
struct AWSDate {
    let date: String
    let dateTime: String

    init(_ time: UnixTime) {
        let seconds = time.seconds
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let ofDay = seconds - days * 86_400
        // Years begin in March, so that the leap day is their last; the calendar repeats every
        // 400 years of 146,097 days, of which 719,468 lie before 1970.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        date = padded(year, 4) + padded(month, 2) + padded(day, 2)
        let time = padded(ofDay / 3600, 2) + padded(ofDay / 60 % 60, 2) + padded(ofDay % 60, 2)
        dateTime = "\(date)T\(time)Z"
    }
}
