#pragma once
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/srtp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <sys/time.h>

// Function-like macros are not imported into Swift; each shim below wraps the one of its name.

static inline EVP_PKEY *roomcast_generate_p256(void) { return EVP_EC_gen("P-256"); }

static inline int roomcast_set_minimum_dtls12(SSL_CTX *context) {
    return (int)SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION);
}

static inline int roomcast_set_groups(SSL_CTX *context, const char *names) {
    return (int)SSL_CTX_set1_groups_list(context, names);
}

static inline void roomcast_disable_session_cache(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// The options are 64-bit macros built by SSL_OP_BIT.
static inline uint64_t roomcast_context_options(void) {
    return SSL_OP_NO_QUERY_MTU | SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION;
}

static inline void roomcast_set_mtu(SSL *ssl, long bytes) { SSL_set_mtu(ssl, bytes); }

static inline void roomcast_set_memory_eof(BIO *bio, int value) {
    BIO_set_mem_eof_return(bio, value);
}

static inline int roomcast_dtls_get_timeout(SSL *ssl, struct timeval *remaining) {
    return (int)DTLSv1_get_timeout(ssl, remaining);
}

static inline int roomcast_dtls_handle_timeout(SSL *ssl) {
    return (int)DTLSv1_handle_timeout(ssl);
}

// ERR_GET_REASON is an inline function of <openssl/err.h> over macros; kept here with the others.
static inline int roomcast_error_reason(unsigned long code) { return ERR_GET_REASON(code); }
