#pragma once
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/time.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

/// AV_NOPTS_VALUE is a cast, which Swift does not import.
static const int64_t av_shim_no_timestamp = AV_NOPTS_VALUE;

/// The AVERROR tags are built by MKTAG and AVERROR() is a function-like macro.
static const int av_shim_error_end = AVERROR_EOF;
static const int av_shim_error_again = AVERROR(EAGAIN);
static const int av_shim_error_memory = AVERROR(ENOMEM);
static const int av_shim_error_invalid_data = AVERROR_INVALIDDATA;
static const int av_shim_error_exit = AVERROR_EXIT;
static const int av_shim_error_protocol = AVERROR_PROTOCOL_NOT_FOUND;
