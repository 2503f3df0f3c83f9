import COpenSSL
import CSRTP

/// A protection profile of DTLS-SRTP (RFC 5764 sect. 4.1.2, RFC 7714 sect. 14.2).
public enum SRTPProfile: String, Hashable, Sendable, CaseIterable {
    case aeadAES128GCM = "AEAD_AES_128_GCM"
    case aes128CMHMACSHA1Tag80 = "AES128_CM_HMAC_SHA1_80"

    init?(openSSLID id: UInt) {
        switch Int32(truncatingIfNeeded: id) {
        case SRTP_AEAD_AES_128_GCM: self = .aeadAES128GCM
        case SRTP_AES128_CM_SHA1_80: self = .aes128CMHMACSHA1Tag80
        default: return nil
        }
    }

    var openSSLName: String {
        switch self {
        case .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM"
        case .aes128CMHMACSHA1Tag80: "SRTP_AES128_CM_SHA1_80"
        }
    }

    var keyBytes: Int { 16 }

    var saltBytes: Int {
        switch self {
        case .aeadAES128GCM: 12
        case .aes128CMHMACSHA1Tag80: 14
        }
    }

    var tagBytes: Int {
        switch self {
        case .aeadAES128GCM: 16
        case .aes128CMHMACSHA1Tag80: 10
        }
    }

    var library: srtp_profile_t {
        switch self {
        case .aeadAES128GCM: srtp_profile_aead_aes_128_gcm
        case .aes128CMHMACSHA1Tag80: srtp_profile_aes128_cm_sha1_80
        }
    }
}
