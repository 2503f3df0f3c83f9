import Digests
import Testing

@testable import XMPP

@Suite struct SCRAMTests {
    /// RFC 5802 sect. 5.
    @Test func theExampleOfRFC5802() throws {
        var scram = SCRAM(
            .sha1, user: "user", password: "pencil", nonce: "fyko+d2lbbFgONRv9qkxdawL")
        #expect(scram.first == "n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL")
        let final = try scram.final(
            "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096")
        #expect(
            final
                == "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="
        )
        try scram.verify("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")
    }

    /// RFC 7677 sect. 3.
    @Test func theExampleOfRFC7677() throws {
        var scram = SCRAM(.sha256, user: "user", password: "pencil", nonce: "rOprNGfwEbeRWgbNEkqO")
        let final = try scram.final(
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
        )
        #expect(
            final
                == "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        )
        try scram.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
    }

    @Test(arguments: [
        "r=other,s=QSXCR+Q6sek8bf92,i=4096", "r=nonce,s=QSXCR+Q6sek8bf92,i=4096",
        "r=nonce1,s=QSXCR+Q6sek8bf92,i=4095", "r=nonce1,s=QSXCR+Q6sek8bf92,i=200001",
        "r=nonce1,s=QSXCR+Q6sek8bf92,i=-1", "r=nonce1,s=,i=4096", "r=nonce1,s=!,i=4096",
        "r=nonce1,i=4096", "m=ext,r=nonce1,s=QSXCR+Q6sek8bf92,i=4096", "",
    ])
    func challengesThatCannotBeTrustedAreRefused(challenge: String) {
        var scram = SCRAM(.sha1, user: "user", password: "pencil", nonce: "nonce")
        #expect {
            try scram.final(challenge)
        } throws: { error in
            if case AuthenticationFailure.untrustworthy = error { true } else { false }
        }
    }

    @Test func aServerThatDoesNotKnowThePasswordIsRefused() throws {
        var scram = SCRAM(.sha1, user: "user", password: "pencil", nonce: "nonce")
        // Before its challenge, too.
        #expect {
            try scram.verify("v=")
        } throws: { error in
            if case AuthenticationFailure.untrustworthy = error { true } else { false }
        }
        _ = try scram.final("r=nonce1,s=QSXCR+Q6sek8bf92,i=4096")
        for outcome in ["v=rmF9pqV8S7suAoZWja4dJRkFsKQ=", "v=", "e=other-error", ""] {
            #expect {
                try scram.verify(outcome)
            } throws: { error in
                if case AuthenticationFailure.untrustworthy = error { true } else { false }
            }
        }
    }

    @Test func namesAreEscaped() {
        let scram = SCRAM(.sha1, user: "a=b,c", password: "p", nonce: "n")
        #expect(scram.first == "n,,n=a=3Db=2Cc,r=n")
    }
}
