#pragma once
#include <zlib.h>

// deflateInit2 is a macro that passes on the header's version. Adding 16 to the largest window
// selects the gzip format.
static inline int roomcast_gzip_init(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL,
                        Z_DEFAULT_STRATEGY);
}
