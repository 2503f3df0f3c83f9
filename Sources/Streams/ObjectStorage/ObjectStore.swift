import Digests
import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that speaks S3's REST API, and the requests to it, unsigned.
/// docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
public struct ObjectStore: Hashable, Sendable {
    /// Where the bucket's name stands.
    public enum Addressing: String, Hashable, Sendable, CaseIterable {
        /// `https://store/bucket/key`: most stores of one's own.
        case path
        /// `https://bucket.store/key`: Amazon's.
        case host
    }

    /// How the store encrypts what it keeps.
    public enum Encryption: Hashable, Sendable {
        case aes256
        /// With the bucket's key where none is named.
        case keyManagement(keyID: String?)
    }

    public var isTLS: Bool
    /// `host` or `host:port`, the port only where it is not the scheme's own.
    public var authority: String
    public var region: String
    public var addressing: Addressing
    public var bucket: String
    /// In front of all keys, without slashes at its ends; may be empty.
    public var prefix: String
    /// Nil for whatever the bucket does by itself.
    public var encryption: Encryption?
    /// Whether it takes `x-amz-checksum-*`. The signature covers what is sent either way.
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

    /// What all its addresses begin with, for browsers that are told whom to ask.
    public var origin: String {
        HTTPURL(isSecure: isTLS, authority: host(of: bucket)).origin
    }

    private func host(of bucket: String) -> String {
        switch addressing {
        case .path: authority
        case .host: "\(bucket).\(authority)"
        }
    }

    /// The address that a request goes to.
    public func url(of request: StoreRequest) -> String {
        HTTPURL(isSecure: isTLS, authority: request.host, target: request.target).description
    }

    // MARK: Requests

    /// CreateMultipartUpload, with SHA-256 as the parts' checksum if the store takes them.
    public func create(_ location: ObjectLocation, contentType: String) -> StoreRequest {
        var request = request(
            "POST", location, query: [StoreRequest.Field("uploads", "")])
        request.headers = [StoreRequest.Field("content-type", contentType)]
        request.headers += checksumHeader("algorithm", "SHA256")
        request.headers += encryptionHeaders
        return request
    }

    /// PutObject: all of it at once, at most 5 GiB. The signature covers the digest, and the store
    /// checks it.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 of the object.
    ///   - cacheControl: what it says to whoever fetches it. RFC 9111 sect. 5.2.
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
        var text = #"<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">"#
        for part in parts {
            text += "<Part><PartNumber>\(part.number)</PartNumber>"
            text += "<ETag>\(XMLText.escaped(part.entityTag))</ETag>"
            if takesChecksums {
                let checksum = Data(part.digest).base64EncodedString()
                text += "<ChecksumSHA256>\(checksum)</ChecksumSHA256>"
            }
            text += "</Part>"
        }
        text += "</CompleteMultipartUpload>"
        let body = Array(text.utf8)
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

    /// ListMultipartUploads: those of one key.
    public func uploads(to location: ObjectLocation) -> StoreRequest {
        request(
            "GET", ObjectLocation(bucket: location.bucket, key: ""),
            query: [
                StoreRequest.Field("prefix", location.key), StoreRequest.Field("uploads", ""),
            ])
    }

    /// HeadObject, with its checksum if the store keeps them.
    public func head(_ location: ObjectLocation) -> StoreRequest {
        var request = request("HEAD", location)
        request.headers = checksumHeader("mode", "ENABLED")
        return request
    }

    /// What an address that is given away is for.
    public enum Use: Hashable, Sendable {
        case file
        /// Browsers are to save it under this name.
        case download(name: String)
        /// Players are to take ranges of it for segments of a transport stream.
        case segments
    }

    /// GetObject, to be read, or to be given away with a signature in the address.
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
                // Some players go by what an address ends with, FFmpeg among them. Stores pass over
                // parameters that begin with x-, which is sorted behind all others.
                [
                    StoreRequest.Field("response-content-type", "video/mp2t"),
                    StoreRequest.Field("x-segment", ".ts"),
                ]
            }
        return request("GET", location, query: query)
    }

    /// DeleteObject. What is not there is deleted too.
    public func delete(_ location: ObjectLocation) -> StoreRequest { request("DELETE", location) }

    private func checksumHeader(_ name: String, _ value: String) -> [StoreRequest.Field] {
        takesChecksums ? [StoreRequest.Field("x-amz-checksum-\(name)", value)] : []
    }

    /// Of requests that begin an object; the others go by what was said then.
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
