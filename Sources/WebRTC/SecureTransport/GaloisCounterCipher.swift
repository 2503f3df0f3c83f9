import COpenSSL
import CSRTP

/// AES-128 in Galois/counter mode by OpenSSL, as a libsrtp cipher. RFC 7714.
enum GaloisCounterCipher {
    private static let keyBytes = 16
    private static let saltBytes = 12
    private static let tagBytes = 8...16

    static func replace() -> srtp_err_status_t {
        srtp_replace_cipher_type(type, srtp_cipher_type_id_t(SRTP_AES_GCM_128))
    }

    nonisolated(unsafe) private static let type = PermanentMemory.value(
        srtp_cipher_type_t(
            alloc: allocate, dealloc: CipherState.free, init: begin, set_aad: authenticate,
            encrypt: encrypt, decrypt: decrypt, set_iv: setNonce, get_tag: tag,
            description: PermanentMemory.text("AES-128 Galois/counter mode by OpenSSL"),
            test_data: test,
            id: srtp_cipher_type_id_t(SRTP_AES_GCM_128)))

    /// The packet of RFC 7714 sect. 16.1.1.
    nonisolated(unsafe) private static let test = PermanentMemory.value(
        srtp_cipher_test_case_t(
            key_length_octets: Int32(keyBytes + saltBytes),
            key: PermanentMemory.bytes(
                [UInt8](0..<16) + [
                    0x51, 0x75, 0x69, 0x64, 0x20, 0x70, 0x72, 0x6F, 0x20, 0x71, 0x75, 0x6F,
                ]),
            idx: PermanentMemory.bytes([
                0x51, 0x75, 0x3C, 0x65, 0x80, 0xC2, 0x72, 0x6F, 0x20, 0x71, 0x84, 0x14,
            ]), plaintext_length_octets: 38,
            plaintext: PermanentMemory.bytes(
                [UInt8]("Gallia est omnis divisa in partes tres".utf8)),
            ciphertext_length_octets: 54,
            ciphertext: PermanentMemory.bytes([
                0xF2, 0x4D, 0xE3, 0xA3, 0xFB, 0x34, 0xDE, 0x6C, 0xAC, 0xBA, 0x86, 0x1C, 0x9D, 0x7E,
                0x4B, 0xCA, 0xBE, 0x63, 0x3B, 0xD5, 0x0D, 0x29, 0x4E, 0x6F, 0x42, 0xA5, 0xF4, 0x7A,
                0x51, 0xC7, 0xD1, 0x9B, 0x36, 0xDE, 0x3A, 0xDF, 0x88, 0x33, 0x89, 0x9D, 0x7F, 0x27,
                0xBE, 0xB1, 0x6A, 0x91, 0x52, 0xCF, 0x76, 0x5E, 0xE4, 0x39, 0x0C, 0xCE,
            ]), aad_length_octets: 12,
            aad: PermanentMemory.bytes([
                0x80, 0x40, 0xF1, 0x7B, 0x80, 0x41, 0xF8, 0xD3, 0x55, 0x01, 0xA0, 0xB2,
            ]), tag_length_octets: 16, next_test_case: nil))

    private static let allocate: srtp_cipher_alloc_func_t = { cipher, keyLength, tagLength in
        guard let cipher, Int(keyLength) == keyBytes + saltBytes, tagBytes ~= Int(tagLength) else {
            return srtp_err_status_bad_param
        }
        return CipherState.make(
            type, keyLength: keyLength, tagLength: tagLength, into: cipher)
    }

    /// libsrtp mixes the salt into the nonce itself.
    private static let begin: srtp_cipher_init_func_t = { pointer, key in
        guard let key else { return srtp_err_status_bad_param }
        return CipherState.at(pointer).pointee.begin(
            .galoisCounterCipher, EVP_aes_128_gcm(), key: key, keyBytes: keyBytes)
    }

    /// The nonce has twelve bytes, OpenSSL's default.
    private static let setNonce: srtp_cipher_set_iv_func_t = { pointer, nonce, direction in
        let encrypts: Int32 = direction == srtp_direction_encrypt ? 1 : 0
        let isSet = EVP_CipherInit_ex(context(pointer), nil, nil, nil, nonce, encrypts)
        return isSet == 1 ? srtp_err_status_ok : srtp_err_status_cipher_fail
    }

    private static let authenticate: srtp_cipher_set_aad_func_t = { pointer, bytes, count in
        var written: Int32 = 0
        let isDone = EVP_CipherUpdate(context(pointer), nil, &written, bytes, Int32(count))
        return isDone == 1 ? srtp_err_status_ok : srtp_err_status_algo_fail
    }

    private static let encrypt: srtp_cipher_encrypt_func_t = { pointer, bytes, count in
        guard let bytes, let count else { return srtp_err_status_bad_param }
        return crypt(context(pointer), bytes, Int32(count.pointee))
            ? srtp_err_status_ok : srtp_err_status_cipher_fail
    }

    /// Writes the tag of the encrypted data.
    private static let tag: srtp_cipher_get_tag_func_t = { pointer, tag, count in
        guard let tag, let count else { return srtp_err_status_bad_param }
        let context = context(pointer)
        let tagBytes = CipherState.at(pointer).pointee.tagBytes
        guard finishes(context),
            EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, tagBytes, UnsafeMutableRawPointer(tag)) == 1
        else { return srtp_err_status_algo_fail }
        count.pointee = UInt32(tagBytes)
        return srtp_err_status_ok
    }

    /// The tag follows the data to decrypt.
    private static let decrypt: srtp_cipher_decrypt_func_t = { pointer, bytes, count in
        let context = context(pointer)
        let tagBytes = CipherState.at(pointer).pointee.tagBytes
        guard let bytes, let count, Int32(count.pointee) >= tagBytes else {
            return srtp_err_status_bad_param
        }
        let length = Int32(count.pointee) - tagBytes
        guard
            EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, tagBytes,
                UnsafeMutableRawPointer(bytes + Int(length))) == 1,
            crypt(context, bytes, length), finishes(context)
        else { return srtp_err_status_auth_fail }
        count.pointee = UInt32(length)
        return srtp_err_status_ok
    }

    private static func crypt(
        _ context: OpaquePointer?, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int32
    ) -> Bool {
        var written: Int32 = 0
        return EVP_CipherUpdate(context, bytes, &written, bytes, count) == 1
    }

    /// Computes or verifies the tag. This mode has no remaining data to write.
    private static func finishes(_ context: OpaquePointer?) -> Bool {
        var nothing: UInt64 = 0
        var written: Int32 = 0
        return withUnsafeMutableBytes(of: &nothing) { bytes in
            EVP_CipherFinal_ex(
                context, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &written)
        } == 1
    }

    private static func context(_ pointer: UnsafeMutableRawPointer?) -> OpaquePointer? {
        CipherState.at(pointer).pointee.context
    }
}
