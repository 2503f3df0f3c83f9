import Digests
import MediaKernel
import XML

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store with S3's REST API; makes unsigned requests to it.
/// docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
public struct ObjectStore: Hashable, Sendable {
    /// The place of the bucket's name in URLs.
    public enum Addressing: String, Hashable, Sendable, CaseIterable {
        /// `https://store/bucket/key`: most self-hosted stores.
        case path
        /// `https://bucket.store/key`: Amazon S3.
        case host
    }

    /// How the store encrypts objects at rest.
    public enum Encryption: Hashable, Sendable {
        case aes256
        /// Uses the bucket's key if no key is named.
        case keyManagement(keyID: String?)
    }

    public var isTLS: Bool
    /// `host` or `host:port`; the port is present only if it is not the scheme's default.
    public var authority: String
    public var region: String
    public var addressing: Addressing
    public var bucket: String
    /// Precedes all keys, without slashes at its ends; may be empty.
    public var prefix: String
    /// Nil for the bucket's default encryption.
    public var encryption: Encryption?
    /// Whether the store accepts `x-amz-checksum-*`. The signature covers the content either way.
    public var takesChecksums = true

    public init(
        isTLS: Bool, authority: String, region: String, addressing: Addressing, bucket: String,
        prefix: String = "", encryption: Encryption? = nil
    ) {
        self.isTLS = isTLS
        self.authority = authority
        self.region = region
        self.addressing = addressing
        self.bucket = bucket
        self.prefix = prefix
        self.encryption = encryption
    }

    /// - Parameter path: relative to the root of recordings.
    public func location(of path: String) -> ObjectLocation {
        ObjectLocation(bucket: bucket, key: prefix.isEmpty ? path : "\(prefix)/\(path)")
    }

    /// The origin of all URLs of this store, for the server's hints to browsers.
    public var origin: String {
        HTTPURL(isSecure: isTLS, authority: host(of: bucket)).origin
    }

    private func host(of bucket: String) -> String {
        switch addressing {
        case .path: authority
        case .host: "\(bucket).\(authority)"
        }
    }

    /// The URL of a request.
    public func url(of request: StoreRequest) -> String {
        HTTPURL(isSecure: isTLS, authority: request.host, target: request.target).description
    }

    // MARK: Requests

    /// CreateMultipartUpload, with SHA-256 checksums of parts if the store accepts them.
    public func create(_ location: ObjectLocation, contentType: String) -> StoreRequest {
        var request = request(
            "POST", location, query: [StoreRequest.Field("uploads", "")])
        request.headers = [StoreRequest.Field("content-type", contentType)]
        request.headers += checksumHeader("algorithm", "SHA256")
        request.headers += encryptionHeaders
        return request
    }

    /// PutObject: the whole object at once, at most 5 GiB. The signature covers the digest, and the
    /// store checks it.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 of the object.
    ///   - cacheControl: the object's Cache-Control header. RFC 9111 sect. 5.2.
    public func put(
        _ location: ObjectLocation, contentType: String, cacheControl: String, digest: [UInt8]
    ) -> StoreRequest {
        var request = request("PUT", location)
        request.headers = [
            StoreRequest.Field("cache-control", cacheControl),
            StoreRequest.Field("content-type", contentType),
        ]
        request.headers += checksumHeader("sha256", Data(digest).base64EncodedString())
        request.headers += encryptionHeaders
        request.payloadHash = Hexadecimal.text(digest)
        return request
    }

    /// UploadPart. The signature covers the digest, and the store checks it.
    ///
    /// - Parameter digest: SHA-256 of the part.
    public func send(
        part: Int, of uploadID: String, to location: ObjectLocation, digest: [UInt8]
    ) -> StoreRequest {
        var request = request(
            "PUT", location,
            query: [
                StoreRequest.Field("partNumber", String(part)),
                StoreRequest.Field("uploadId", uploadID),
            ])
        request.headers = checksumHeader("sha256", Data(digest).base64EncodedString())
        request.payloadHash = Hexadecimal.text(digest)
        return request
    }

    /// CompleteMultipartUpload.
    ///
    /// - Returns: the request and its body.
    public func complete(
        _ uploadID: String, parts: [MultipartUpload.Part], at location: ObjectLocation
    ) -> (StoreRequest, body: [UInt8]) {
        let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"
        let list = parts.map { part in
            var facts = [
                XMLElement("PartNumber", namespace, text: String(part.number)),
                XMLElement("ETag", namespace, text: part.entityTag),
            ]
            if takesChecksums {
                let checksum = Data(part.digest).base64EncodedString()
                facts.append(XMLElement("ChecksumSHA256", namespace, text: checksum))
            }
            return XMLElement("Part", namespace, [:], facts)
        }
        let body = Array(
            XMLElement("CompleteMultipartUpload", namespace, [:], list).xml().utf8)
        var request = request(
            "POST", location, query: [StoreRequest.Field("uploadId", uploadID)])
        request.headers = [StoreRequest.Field("content-type", "application/xml")]
        request.payloadHash = Hexadecimal.text(Digest.sha256.hash(body))
        return (request, body)
    }

    /// AbortMultipartUpload.
    public func abort(_ uploadID: String, at location: ObjectLocation) -> StoreRequest {
        request("DELETE", location, query: [StoreRequest.Field("uploadId", uploadID)])
    }

    /// ListMultipartUploads, for one key.
    public func uploads(to location: ObjectLocation) -> StoreRequest {
        request(
            "GET", ObjectLocation(bucket: location.bucket, key: ""),
            query: [
                StoreRequest.Field("prefix", location.key), StoreRequest.Field("uploads", ""),
            ])
    }

    /// HeadObject, with the checksum if the store keeps it.
    public func head(_ location: ObjectLocation) -> StoreRequest {
        var request = request("HEAD", location)
        request.headers = checksumHeader("mode", "ENABLED")
        return request
    }

    /// The purpose of a presigned URL.
    public enum Use: Hashable, Sendable {
        case file
        /// Browsers save the file under this name.
        case download(name: String)
        /// Players fetch ranges of it as segments of a transport stream.
        case segments
    }

    /// GetObject, either read by the server or given away as a presigned URL.
    public func get(_ location: ObjectLocation, for use: Use = .file) -> StoreRequest {
        let query: [StoreRequest.Field] =
            switch use {
            case .file: []
            case .download(let name):
                [
                    StoreRequest.Field(
                        "response-content-disposition", "attachment; filename=\"\(name)\"")
                ]
            case .segments:
                // Some players, FFmpeg among them, check the end of the URL. Stores ignore
                // parameters that begin with x-, which sorts after all others.
                [
                    StoreRequest.Field("response-content-type", "video/mp2t"),
                    StoreRequest.Field("x-segment", ".ts"),
                ]
            }
        return request("GET", location, query: query)
    }

    /// DeleteObject. Deleting a missing object succeeds.
    public func delete(_ location: ObjectLocation) -> StoreRequest { request("DELETE", location) }

    private func checksumHeader(_ name: String, _ value: String) -> [StoreRequest.Field] {
        takesChecksums ? [StoreRequest.Field("x-amz-checksum-\(name)", value)] : []
    }

    /// Only for requests that create an object; later requests use the same encryption.
    private var encryptionHeaders: [StoreRequest.Field] {
        switch encryption {
        case .aes256: [StoreRequest.Field("x-amz-server-side-encryption", "AES256")]
        case .keyManagement(let keyID):
            [StoreRequest.Field("x-amz-server-side-encryption", "aws:kms")]
                + (keyID.map {
                    [StoreRequest.Field("x-amz-server-side-encryption-aws-kms-key-id", $0)]
                } ?? [])
        case nil: []
        }
    }

    private func request(
        _ method: String, _ location: ObjectLocation, query: [StoreRequest.Field] = []
    ) -> StoreRequest {
        let path = addressing == .path ? "/\(location.bucket)/\(location.key)" : "/\(location.key)"
        return StoreRequest(
            method: method, host: host(of: location.bucket), path: path, query: query)
    }
}
