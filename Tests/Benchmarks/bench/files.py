"""The job from files: by the `ffmpeg` command, by GStreamer, and the codecs alone."""

import shlex

from .clips import ffmpeg
from .job import BUFFER_SECONDS, FRAME_RATE, GROUP, LADDER, PEAK_RATIO
from .processes import timed

FFMPEG = ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y"]


def veryfast(video):
    """x264's unchanged preset, including B-frames and threads, at a peak rate, and with the groups
    of pictures that segments need."""
    peak = video * PEAK_RATIO
    return ["-c:v", "libx264", "-preset", "veryfast", "-profile:v", "high",
            "-b:v", f"{video}k", "-maxrate", f"{peak:.0f}k",
            "-bufsize", f"{peak * BUFFER_SECONDS:.0f}k",
            "-g", GROUP, "-keyint_min", GROUP, "-sc_threshold", "0", "-flags", "+cgop"]


def grid(count):
    (_, _, *_), (width, height, *_) = LADDER
    videos = "".join(f"[{n}:v]" for n in range(count))
    return (f"{videos}xstack=inputs={count}:layout=0_0|w0_0|0_h0|w0_h0,fps={FRAME_RATE},"
            f"split[v0][canvas];[canvas]scale={width}:{height}:flags=area[v1]")


def aac(kilobits):
    """The encoder as Roomcast sets it (`Codec/AACEncoder`): the faster search for the quantizers."""
    return ["-c:a", "aac", "-aac_coder", "fast", "-ac", "2", "-ar", "48000", "-b:a", f"{kilobits}k"]


def inputs(tiles, threads=()):
    """Of clips, each from the picture with its number on."""
    # Half a picture early: timestamps are rounded.
    return [
        item for clip, start in tiles
        for item in (*threads, "-ss", max(0, start - 0.5) / FRAME_RATE, "-i", clip)]


# Decoders, filters and encoders with one thread each, as in Roomcast.
ONE_THREAD = ("-threads", "1")
ONE_FILTER_THREAD = ("-filter_threads", "1", "-filter_complex_threads", "1")


def by_ffmpeg(tiles, directory, seconds, is_single=False):
    """2x2 without scaling, scaled once for the lower layer, the sound mixed; HLS.

    With ffmpeg's own choice of threads, or one thread for each step."""
    directory.mkdir()
    count = len(tiles)
    audios = "".join(f"[{n}:a]" for n in range(count))
    threads, filter_threads = (ONE_THREAD, ONE_FILTER_THREAD) if is_single else ((), ())
    command = [
        *FFMPEG, *filter_threads, *inputs(tiles, threads), "-filter_complex",
        f"{grid(count)};{audios}amix=inputs={count}:normalize=0,"
        "aformat=sample_rates=48000:channel_layouts=stereo,asplit[a0][a1]",
    ]
    layers = []
    for n, (_, _, video, audio) in enumerate(LADDER):
        layers.append(directory / f"layer_{n}.m3u8")
        command += ["-map", f"[v{n}]", "-map", f"[a{n}]", "-t", seconds, *veryfast(video)]
        command += [*threads, *aac(audio)]
        command += ["-f", "hls", "-hls_time", "2", "-hls_playlist_type", "event", layers[-1]]
    return {**timed(command), "layers": layers}


def by_gstreamer(clips, directory):
    """`compositor` and `audiomixer`, the same x264 settings, one transport stream a layer."""
    directory.mkdir()
    width, height = LADDER[0][0] // 2, LADDER[0][1] // 2
    places = [(0, 0), (width, 0), (0, height), (width, height)]
    pads = " ".join(
        f"sink_{n}::xpos={x} sink_{n}::ypos={y}" for n, (x, y) in enumerate(places))
    parts = [
        f"compositor name=c background=black {pads} ! video/x-raw,format=I420,"
        f"width={LADDER[0][0]},height={LADDER[0][1]},framerate={FRAME_RATE}/1 ! tee name=v",
        "audiomixer name=m ! audioconvert ! audio/x-raw,rate=48000,channels=2 ! tee name=s",
    ]
    for n, clip in enumerate(clips):
        parts.append(
            f"filesrc location={shlex.quote(str(clip))} ! matroskademux name=d{n} "
            f"d{n}.video_0 ! queue ! vp8dec ! c.sink_{n} "
            f"d{n}.audio_0 ! queue ! opusdec ! audioconvert ! audioresample ! m.")
    layers = []
    for n, (width, height, video, audio) in enumerate(LADDER):
        layers.append(directory / f"layer_{n}.ts")
        peak = round(video * PEAK_RATIO)
        scale = f"videoscale ! video/x-raw,width={width},height={height} ! " if n else ""
        parts.append(
            f"v. ! queue ! {scale}x264enc speed-preset=veryfast bitrate={video} bframes=3 "
            f"key-int-max={GROUP} option-string=scenecut=0:keyint-min={GROUP}:"
            f"vbv-maxrate={peak}:vbv-bufsize={peak * BUFFER_SECONDS}:weightp=1 ! "
            f"video/x-h264,profile=high ! h264parse ! mpegtsmux name=t{n} ! "
            f"filesink location={shlex.quote(str(layers[-1]))} "
            f"s. ! queue ! audioconvert ! avenc_aac aac-coder=fast bitrate={audio * 1000} ! aacparse ! t{n}.")
    command = ["gst-launch-1.0", "-q", *shlex.split(" ".join(parts))]
    return {**timed(command), "layers": layers}


def codec_floor(tiles, directory, seconds, presets):
    """The same decoding and the same encoding, with nothing between or around them.

    x264 reads a composition made before. The cost of reading it is measured and subtracted, and so
    is the cost of decoding a clip's sound before it is encoded as AAC."""
    directory.mkdir()
    decoding = 0
    for clip, _ in tiles:
        decoding += timed([*FFMPEG, "-threads", "1", "-i", clip, "-t", seconds,
                           "-f", "null", "-"])["cpu"]
    encoding = 0
    composed_seconds = min(10, seconds)
    raws = [directory / f"layer_{n}.nut" for n in range(len(LADDER))]
    outputs = []
    for n, raw in enumerate(raws):
        outputs += ["-map", f"[v{n}]", "-t", composed_seconds, "-c:v", "rawvideo", raw]
    ffmpeg(*inputs(tiles), "-filter_complex", grid(len(tiles)), *outputs)
    for raw, preset, (_, _, video, audio) in zip(raws, presets, LADDER, strict=True):
        source = [*FFMPEG, "-stream_loop", "-1", "-i", raw, "-t", seconds]
        with_x264 = timed([*source, *veryfast(video), *preset, "-f", "null", "-"])["cpu"]
        encoding += with_x264 - timed(
            [*source, "-c:v", "wrapped_avframe", "-f", "null", "-"])["cpu"]
        sound = [*FFMPEG, "-i", tiles[0][0], "-vn", "-t", seconds]
        with_aac = timed([*sound, *aac(audio), "-f", "null", "-"])["cpu"]
        encoding += with_aac - timed([*sound, "-f", "null", "-"])["cpu"]
        raw.unlink()
    return {"cpu": decoding + encoding, "decoding": decoding, "encoding": encoding}


# Roomcast's default preset for each layer, as options of the `ffmpeg` command.
COMMON = (
    "-preset superfast -threads 1 -mbtree 1 -rc-lookahead 10 -b_strategy 0 -aq-strength 0.5"
    " -weightp none").split()
BALANCED = [
    [*COMMON, "-partitions", "i8x8", "-bf", "2", "-b-pyramid", "none"],
    [*COMMON, "-subq", "2", "-trellis", "1"],
]
