import Digests
import MediaKernel
import Testing

@Suite struct RSAKeyTests {
    /// Each key is read from bytes that nobody else holds, as a settings' file is.
    @Test(arguments: [Self.pkcs8, Self.pkcs1])
    func keysSignAsRS256Prescribes(pem: String) throws {
        for count in 0..<16 {
            // Neither a macro nor the loop keeps these bytes, and what is freed of this size is
            // used again at once.
            let lines = String(repeating: "\n", count: 4096 + count)
            let key = RSAKey(pem: Array((pem + lines).utf8))
            let signature = try #require(key?.signature(of: Array("a message".utf8)))
            #expect(Hexadecimal.text(signature) == Self.signature)
        }
    }

    @Test func whatIsNoRSAKeyIsRefused() {
        let count = Self.pkcs8.count
        for pem in ["", "no key", String(Self.pkcs8.prefix(count / 2)), Self.elliptic] {
            #expect(RSAKey(pem: Array(pem.utf8)) == nil)
        }
    }

    /// Made for this test by python's `cryptography`.
    private static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAOIBMCNp+ZGiD6GG
        AwZNOFGm5apSMQOxoo67+mFVnUpNvgjv89mtC9IMoElFv67mLJPnmfWPnXFNQk2O
        JkDQmVxijbXmWDaO7VrbZYKcj9pArBtIKlvmCfLPDJxwiSlR5u3f5wHJPjr3lZlM
        7oenTMOqSfQddf71Bzc8NsiYWVcHAgMBAAECgYA0HuYFJMmDhoZoT8meyGw2mHDa
        yL25Blxg4oUpsV7m5ervkLcB+mCBfpvwif9czIR3T7A363j5ykGCNUgpJnJXZtJC
        xcHafMByzebrVIPCtf9RnwrC9QG1JjkDJ0Pv3kF8N0LRVVVlxf0u5eq936xaNVdx
        HIZ0mkDUa//LxDWkMQJBAP/2jajWRPWzy+awnUv3n6VWYuXje2UuB4GH+6p2RB/w
        M5is0vuaGP2wWPtSYoaSxK/8P8kBONBtflpKfDFesL0CQQDiCYduYT/XcGCKPUsF
        ERx2GtEKF2q4iiyMhkO+8QAOM6mQlb0/sFfZZHCsxqmtV2tRZ4KZxgXrU3PC/Zzs
        1S0TAkEA2KIolOv8Y2NvwGhcSM5kTMAHZgAZELJbYfLgOg5sbAeU87PZwV5TpmqZ
        dOPuRW10kGnS5mFlX2o8VVjTMcmtlQJBAK8LMhYIuafdHuXvEWmbFq9flQJ7n+nJ
        Fza7wzra53AYEfgl/aiUp3NylM84Ca5zRGiGAF2VPIBA4CTgweWmMIECQCADIx+I
        /fhOj7wMeBRqvtN3hpZOz9+ISfC+v742GglsBo+gV1a9ekmnQGuekzHemP6dSLmj
        ruhpm3ylwvTh1rg=
        -----END PRIVATE KEY-----

        """

    private static let pkcs1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIICXQIBAAKBgQDiATAjafmRog+hhgMGTThRpuWqUjEDsaKOu/phVZ1KTb4I7/PZ
        rQvSDKBJRb+u5iyT55n1j51xTUJNjiZA0JlcYo215lg2ju1a22WCnI/aQKwbSCpb
        5gnyzwyccIkpUebt3+cByT4695WZTO6Hp0zDqkn0HXX+9Qc3PDbImFlXBwIDAQAB
        AoGANB7mBSTJg4aGaE/JnshsNphw2si9uQZcYOKFKbFe5uXq75C3AfpggX6b8In/
        XMyEd0+wN+t4+cpBgjVIKSZyV2bSQsXB2nzAcs3m61SDwrX/UZ8KwvUBtSY5AydD
        795BfDdC0VVVZcX9LuXqvd+sWjVXcRyGdJpA1Gv/y8Q1pDECQQD/9o2o1kT1s8vm
        sJ1L95+lVmLl43tlLgeBh/uqdkQf8DOYrNL7mhj9sFj7UmKGksSv/D/JATjQbX5a
        SnwxXrC9AkEA4gmHbmE/13Bgij1LBREcdhrRChdquIosjIZDvvEADjOpkJW9P7BX
        2WRwrMaprVdrUWeCmcYF61Nzwv2c7NUtEwJBANiiKJTr/GNjb8BoXEjOZEzAB2YA
        GRCyW2Hy4DoObGwHlPOz2cFeU6ZqmXTj7kVtdJBp0uZhZV9qPFVY0zHJrZUCQQCv
        CzIWCLmn3R7l7xFpmxavX5UCe5/pyRc2u8M62udwGBH4Jf2olKdzcpTPOAmuc0Ro
        hgBdlTyAQOAk4MHlpjCBAkAgAyMfiP34To+8DHgUar7Td4aWTs/fiEnwvr++NhoJ
        bAaPoFdWvXpJp0BrnpMx3pj+nUi5o67oaZt8pcL04da4
        -----END RSA PRIVATE KEY-----

        """

    private static let elliptic = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSwI+9iDmADKfGKnb
        +TWeieVVTqtysQsA74YqBraddBShRANCAAQ2kanbXyY32iknLex4bgwlnvH8D7CB
        hi+K/P5Tva/RRjO3eXLgdA+4CK2dQgtoxMJf/0aUJGU5CSP7tfokLrkY
        -----END PRIVATE KEY-----

        """

    /// Of `a message`, by the same program.
    private static let signature =
        "5086415d49b8d1cc0c5f6d44195770d50cbdbb1f4e3ebb722432d6d4a950fae1"
        + "d28c1541b6d0e232900048be49a372e43a0131e6b3be90f7f216fa9d24dc027d"
        + "7b445e3efc6ed2a92b8c8a2e645c548e2e7b0f456ea75954ee26323476da8474"
        + "8ab18152b2b9dbb98f1df23fe7a9125c4ad4e34c51d05a6b9107084b2649c9bb"
}
