import HOCON
import Testing

@testable import Jibri

/// The environment of Jitsi's container (docker-jitsi-meet).
@Suite struct ContainerTests {
    static let needed = ["JIBRI_XMPP_PASSWORD": "top", "JIBRI_RECORDER_PASSWORD": "secret"]

    @Test func theDefaultsAreThoseOfTheContainer() throws {
        let settings = try #require(JibriReportTests.report(nil, Self.needed).settings)
        #expect(
            settings.recordingsDirectory == "/storage/recordings" && settings.finalizeScript == nil)
        let environment = try #require(settings.environments.first)
        #expect(settings.environments.count == 1 && environment.name == "-0")
        #expect(environment.hosts.map(\.description) == ["xmpp.meet.jitsi:5222"])
        #expect(environment.domain == "meet.jitsi" && environment.baseURL == nil)
        #expect(environment.brewery.room == "jibribrewery")
        #expect(environment.brewery.domain == "internal-muc.meet.jitsi")
        #expect(environment.brewery.nickname == "fallback")
        #expect(environment.control.description == "jibri@auth.meet.jitsi")
        #expect(environment.call.description == "recorder@hidden.meet.jitsi")
        #expect(environment.control.password == "top" && environment.call.password == "secret")
        #expect(environment.roomDomainPrefix == "muc." && environment.usageTimeout == nil)
        #expect(environment.trustsAllCertificates && environment.security == .ifPossible)
    }

    @Test func eachVariableCounts() throws {
        let variables = Self.needed.merging([
            "XMPP_SERVER": "a.example,b.example:6222", "XMPP_PORT": "5223",
            "XMPP_DOMAIN": "d.example",
            "XMPP_AUTH_DOMAIN": "auth.example", "XMPP_INTERNAL_MUC_DOMAIN": "internal.example",
            "XMPP_MUC_DOMAIN": "rooms.example", "XMPP_RECORDER_DOMAIN": "recorder.example",
            "XMPP_TRUST_ALL_CERTS": "0", "XMPP_ENV_NAME": "prod", "PUBLIC_URL": "https://d.example",
            "JIBRI_XMPP_USER": "j", "JIBRI_RECORDER_USER": "r", "JIBRI_BREWERY_MUC": "brewery",
            "JIBRI_INSTANCE_ID": "rec-7", "JIBRI_USAGE_TIMEOUT": "2 hours",
            "JIBRI_RECORDING_DIR": "/r",
            "JIBRI_FINALIZE_RECORDING_SCRIPT_PATH": "/f", "JIBRI_SINGLE_USE_MODE": "true",
            "JIBRI_HTTP_API_EXTERNAL_PORT": "2", "JIBRI_HTTP_API_INTERNAL_PORT": "3",
            "JIBRI_WEBHOOK_SUBSCRIBERS": "http://a,,http://b",
        ]) { $1 }
        let settings = try #require(JibriReportTests.report(nil, variables).settings)
        #expect(settings.id == "rec-7" && settings.isSingleUse)
        #expect(settings.recordingsDirectory == "/r" && settings.finalizeScript == "/f")
        #expect(settings.http.externalPort == 2 && settings.http.internalPort == 3)
        #expect(settings.webhooks == ["http://a", "http://b"])
        #expect(settings.environments.map(\.name) == ["prod-0", "prod-1"])
        #expect(
            settings.environments.flatMap(\.hosts).map(\.description) == [
                "a.example:5223", "b.example:6222",
            ])
        let environment = settings.environments[1]
        #expect(environment.domain == "d.example" && environment.baseURL == "https://d.example")
        #expect(environment.control.description == "j@auth.example")
        #expect(environment.call.description == "r@recorder.example")
        #expect(
            environment.brewery.room == "brewery"
                && environment.brewery.domain == "internal.example")
        #expect(environment.brewery.nickname == "rec-7" && environment.roomDomainPrefix == "rooms.")
        #expect(environment.usageTimeout == .seconds(7200) && !environment.trustsAllCertificates)
    }

    @Test func theHiddenDomainHasPrecedenceOverItsOldName() throws {
        let variables = ["XMPP_HIDDEN_DOMAIN": "h.example", "XMPP_RECORDER_DOMAIN": "r.example"]
        for (name, domain) in [("", "r.example"), ("h.example", "h.example")] {
            var variables = Self.needed.merging(variables) { $1 }
            variables["XMPP_HIDDEN_DOMAIN"] = name
            let settings = try #require(JibriReportTests.report(nil, variables).settings)
            #expect(settings.environments[0].call.domain == domain)
        }
    }

    @Test func theFileHasPrecedence() throws {
        let text = "jibri.recording.recordings-directory = /file\njibri.ffmpeg.resolution = 1x1"
        let settings = try #require(JibriReportTests.report(text, Self.needed).settings)
        #expect(settings.recordingsDirectory == "/file" && settings.environments.count == 1)
    }

    @Test func theVariablesOfAnotherProgramMakeNoEnvironment() {
        #expect(JibriReportTests.report(nil, ["XMPP_SERVER": "x", "JIBRI_XMPP_USER": "j"]).isWrong)
    }

    @Test func whatIsWrongWithAVariableIsSaidByItsName() {
        let report = JibriReportTests.report(
            nil,
            Self.needed.merging(["JIBRI_HTTP_API_EXTERNAL_PORT": "x", "PUBLIC_URL": "x"]) { $1 })
        #expect(
            report.findings.map(\.place.description) == [
                "JIBRI_HTTP_API_EXTERNAL_PORT", "PUBLIC_URL",
            ])
        let missing = JibriReportTests.report(nil, ["JIBRI_XMPP_PASSWORD": "x"])
        #expect(missing.findings.map(\.place.description) == ["JIBRI_RECORDER_PASSWORD"])
    }

    /// Its jibri.conf has the logins in a second file, and a third may be missing.
    @Test func theContainersFilesAreRead() throws {
        let report = JibriReportTests.report(
            """
            jibri {
                id = "rec-1"
                single-use-mode = false

                api {

                }
                recording {
                  recordings-directory = "/storage/recordings"
                  }
                ffmpeg {
                  resolution =  "1280x720"
                }

                chrome {
                  flags = [
                    "--kiosk",
                    "--no-sandbox"
                  ]
                }

                stats {
                  prometheus.enabled = false
                }
            }

            include "xmpp.conf"

            include "/run/jibri/config/custom-jibri.conf"
            """,
            files: [
                "xmpp.conf":
                    "jibri.api.xmpp.environments = [\n\n  \(JibriReportTests.environment)\n\n]"
            ])
        let settings = try #require(report.settings, "\(report.lines)")
        #expect(settings.id == "rec-1" && settings.environments.first?.name == "prod")
        #expect(
            report.findings.first { $0.kind == .noted }?.description
                == "jibri.conf:29:1: include '/run/jibri/config/custom-jibri.conf': is not there, "
                + "which Jibri accepts too")
    }
}
