import ObjectStorage
import Testing
import Workbench

@testable import Service

@Suite struct StoreSettingsTests {
    private let least = [
        "BUCKET": "recordings", "ACCESS_KEY_ID": "id", "SECRET_ACCESS_KEY": "secret",
    ]

    private func store(_ changes: [String: String]) throws -> StoreSettings? {
        let all = least.merging(changes) { $1 }
        let environment = Dictionary(
            uniqueKeysWithValues: all.map { ("ROOMCAST_RECORDINGS_STORE_\($0)", $1) })
        return try Settings(SettingsInput(file: nil, environment: environment)).store
    }

    @Test func withoutABucketThereIsNone() throws {
        #expect(try Settings(SettingsInput(file: nil, environment: [:])).store == nil)
        #expect(
            refusedSetting {
                try store(["BUCKET": ""])
            } == "recordings.store.accessKeyID")
    }

    @Test func aBucketAloneIsAtAmazon() throws {
        let settings = try #require(try store(["REGION": "eu-central-1"]))
        #expect(
            settings.store
                == ObjectStore(
                    isTLS: true, authority: "s3.eu-central-1.amazonaws.com",
                    region: "eu-central-1", addressing: .host, bucket: "recordings"))
        #expect(settings.partBytes == 8 << 20 && !settings.keepsLocal)
        #expect(!settings.copiesLive && settings.copyURL == nil)
        #expect(settings.delayMaximum == .seconds(60) && settings.timeout == .seconds(60))
    }

    @Test func everySettingCounts() throws {
        let settings = try #require(
            try store([
                "ENDPOINT": "http://minio:80/", "PREFIX": "a/b_c", "ADDRESSING": "path",
                "SESSION_TOKEN": "t", "ENCRYPTION": "aws:kms", "KMS_KEY_ID": "k",
                "PART_MEBIBYTES": "5", "KEEP_LOCAL": "true", "RETRY_MAXIMUM_SECONDS": "0.5",
                "TIMEOUT_SECONDS": "3", "LIVE": "true", "LIVE_URL": "https://cdn/a/",
            ]))
        #expect(!settings.store.isTLS && settings.store.authority == "minio")
        #expect(settings.store.prefix == "a/b_c" && settings.store.addressing == .path)
        #expect(settings.store.encryption == .keyManagement(keyID: "k"))
        #expect(
            settings.credentials
                == .fixed(
                    AWSCredentials(
                        accessKeyID: "id", secretAccessKey: "secret", sessionToken: "t")))
        #expect(settings.partBytes == 5 << 20 && settings.keepsLocal)
        #expect(settings.delayMaximum == .milliseconds(500) && settings.timeout == .seconds(3))
        #expect(settings.copiesLive && settings.copyURL == "https://cdn/a")
    }

    @Test(
        arguments: [
            (["BUCKET": "Re"], "bucket"), (["BUCKET": "a/b"], "bucket"),
            (["ENDPOINT": "minio:9000"], "endpoint"), (["ENDPOINT": "http://h/path"], "endpoint"),
            (["REGION": "a b"], "region"), (["PREFIX": "/a"], "prefix"),
            (["PREFIX": "a//b"], "prefix"),
            (["PREFIX": "../a"], "prefix"), (["PREFIX": "a/"], "prefix"),
            (["ADDRESSING": "dns"], "addressing"), (["ENCRYPTION": "DES"], "encryption"),
            (["KMS_KEY_ID": "k"], "kmsKeyID"), (["SECRET_ACCESS_KEY": ""], "accessKeyID"),
            (["ACCESS_KEY_ID": "", "SECRET_ACCESS_KEY": ""], "accessKeyID"),
            (["ACCESS_KEY_ID": "", "SECRET_ACCESS_KEY": "", "SESSION_TOKEN": "t"], "sessionToken"),
            (["CREDENTIALS_FILE": "/x"], "credentialsFile"),
            (["PART_MEBIBYTES": "4"], "partMebibytes"),
            (["RETRY_MAXIMUM_SECONDS": "0"], "retryMaximumSeconds"),
            (["TIMEOUT_SECONDS": "0.5"], "timeoutSeconds"),
            (["LIVE_URL": "https://cdn"], "liveURL"),
            (["LIVE": "false", "LIVE_URL": "https://cdn"], "liveURL"),
            (["LIVE": "true", "LIVE_URL": "cdn"], "liveURL"),
            (["LIVE": "true", "LIVE_URL": "https:///a"], "liveURL"),
            (["LIVE": "true", "LIVE_URL": "https://cdn/?a"], "liveURL"),
        ] as [([String: String], String)])
    func whatCannotBeMeantIsNamed(changes: [String: String], key: String) throws {
        do {
            _ = try store(changes)
            Issue.record("\(changes) passed")
        } catch let error as SettingsError {
            guard case .invalid(let name, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(name == "recordings.store.\(key)")
        }
    }

    @Test func secretsAreKeptFromChildren() {
        #expect(
            Set(Settings.secretVariables).isSuperset(of: [
                "ROOMCAST_RECORDINGS_STORE_SECRET_ACCESS_KEY",
                "ROOMCAST_RECORDINGS_STORE_SESSION_TOKEN", "ROOMCAST_AUTH_SECRET",
            ]))
    }

    @Test func aFileOfCredentialsIsReadAgainWhenItChanges() throws {
        let scratch = try Scratch()
        let file = "\(scratch.path)/credentials"
        #expect(
            refusedSetting {
                try StoreCredentials(.file(file))
            } == "recordings.store.credentialsFile")
        func write(_ id: String) throws {
            try scratch.write(
                "[default]\naws_access_key_id=\(id)\naws_secret_access_key=s\n".utf8,
                to: "credentials")
        }
        try write("one")
        let credentials = try StoreCredentials(.file(file))
        #expect(credentials.current.accessKeyID == "one")
        try write("another")
        #expect(credentials.current.accessKeyID == "another")
        try scratch.write([], to: "credentials")
        #expect(credentials.current.accessKeyID == "another")
    }
}
