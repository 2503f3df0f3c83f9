"""Luma PSNR and SSIM of a layer against the uncompressed composition.

Which picture of a clip a contender shows in which of its own pictures depends on its clock, or on
how it opens its files. So each tile of each picture is first matched with the clips' decoded
pictures; the composition of the matches is the output of a perfect encoder."""

import math
import statistics
import subprocess
import threading

import numpy

from .job import FRAME_RATE, LADDER, TILE, Unfit

# The first pictures of a contender, which do not count: rate control and participants settle.
SETTLING = 2 * FRAME_RATE
# How many pictures after the last match to search for the next one.
AHEAD = 4
THUMBNAIL = 8
# Mean square difference of thumbnails due to encoding alone; a wrong picture has more.
ALIKE = 12.0


class Clip:
    """Luma of a clip's decoded pictures, on disk, and a thumbnail of each."""

    def __init__(self, path, directory):
        width, height = TILE
        raw = directory / f"{path.stem}.luma"
        subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", path, "-vf", "extractplanes=y",
             "-f", "rawvideo", raw], check=True)
        self.luma = numpy.memmap(raw, numpy.uint8, "r").reshape(-1, height, width)
        self.thumbnails = numpy.stack([thumbnail(picture) for picture in self.luma])


def thumbnail(luma):
    height, width = luma.shape
    step = THUMBNAIL * width // TILE[0]
    blocks = luma[: height // step * step].reshape(height // step, step, width // step, step)
    return blocks.mean((1, 3), dtype=numpy.float32)


def halved(luma):
    """The mean of two by two, rounded, as libyuv makes it."""
    wide = luma.astype(numpy.uint16)
    return ((wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2] + 2)
            >> 2).astype(numpy.uint8)


class Tile:
    """Where in which clip a tile of a contender is."""

    def __init__(self, clips):
        self.clips, self.clip, self.position = clips, None, 0

    def distances(self, clip, image, candidates):
        return ((clip.thumbnails[candidates] - image) ** 2).mean((1, 2))

    def find(self, tile, scale):
        """The picture of a clip that `tile` shows."""
        image = thumbnail(tile)
        if self.clip is not None:
            count = len(self.clip.thumbnails)
            near = [(self.position + n) % count for n in range(-1, AHEAD + 1)]
            distances = self.distances(self.clip, image, near)
            if distances.min() < ALIKE:
                order = numpy.argsort(distances)[:3]
                return self.settle([near[n] for n in order], tile, scale)
        best = min(
            ((self.distances(clip, image, slice(None)), clip) for clip in self.clips),
            key=lambda found: found[0].min())
        self.clip = best[1]
        order = numpy.argsort(best[0])[:6]
        return self.settle([int(n) for n in order], tile, scale)

    def settle(self, candidates, tile, scale):
        """The thumbnails leave a few; every pixel tells which it is."""
        pictures = [self.clip.luma[n] for n in candidates]
        if scale == 2:
            pictures = [halved(picture) for picture in pictures]
        errors = [squared_error(tile, picture) for picture in pictures]
        best = int(numpy.argmin(errors))
        repeats = candidates[best] == self.position
        self.position = candidates[best]
        return pictures[best], errors[best], repeats


def squared_error(a, b):
    difference = a.astype(numpy.int16) - b
    return float((difference.astype(numpy.int32) ** 2).mean())


def pictures(path, width, height, maximum=None):
    """Luma of a layer's pictures, each once; of the first ones if there is a maximum."""
    limit = [] if maximum is None else ["-frames:v", str(maximum)]
    decoder = subprocess.Popen(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v", "-vf",
         "extractplanes=y", "-vsync", "passthrough", *limit, "-f", "rawvideo", "-"],
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    with decoder:
        while True:
            data = decoder.stdout.read(width * height)
            if len(data) < width * height:
                break
            yield numpy.frombuffer(data, numpy.uint8).reshape(height, width)


class Similarity:
    """SSIM by ffmpeg's filter, of pairs of pictures that are written one above the other."""

    def __init__(self, width, height):
        graph = (f"crop={width}:{height}:0:0[a];[in2]crop={width}:{height}:0:{height}[b];"
                 "[a][b]ssim")
        self.process = subprocess.Popen(
            ["ffmpeg", "-hide_banner", "-nostats", "-f", "rawvideo", "-pix_fmt", "gray",
             "-s", f"{width}x{2 * height}", "-i", "-", "-lavfi", f"[0:v]split[in1][in2];[in1]"
             + graph, "-f", "null", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.report = b""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        self.report = self.process.stderr.read()

    def add(self, picture, reference):
        self.process.stdin.write(picture.tobytes())
        self.process.stdin.write(reference.tobytes())

    def result(self):
        self.process.stdin.close()
        self.reader.join()
        self.process.wait()
        text = self.report.decode(errors="replace").rpartition("SSIM Y:")[2]
        return float(text.split()[0])


class Grid:
    """Which pictures of which clips the four tiles of a layer's pictures show."""

    def __init__(self, layer, clips):
        self.width, self.height, *_ = LADDER[layer]
        self.scale = LADDER[0][0] // self.width
        self.tiles = [Tile(clips) for _ in range(4)]

    def find(self, picture):
        """The composition of what was found; how many of its tiles show what they did before."""
        across, down = TILE[0] // self.scale, TILE[1] // self.scale
        reference = numpy.empty_like(picture)
        repeats = 0
        for n, tile in enumerate(self.tiles):
            y, x = n // 2 * down, n % 2 * across
            found, _, same = tile.find(picture[y:y + down, x:x + across], self.scale)
            reference[y:y + down, x:x + across] = found
            repeats += same
        return reference, repeats

    def check(self, path):
        if len({id(tile.clip) for tile in self.tiles}) != len(self.tiles):
            raise Unfit(f"{path} does not show every clip once")


def arrangement(path, clips):
    """For each tile of a stream's first layer, the number of its clip, and the picture of the clip
    that the stream's first picture would show."""
    grid = Grid(0, clips)
    starts = [[] for _ in grid.tiles]
    for number, picture in enumerate(pictures(path, grid.width, grid.height, 2 * SETTLING)):
        grid.find(picture)
        for tile, start in zip(grid.tiles, starts):
            start.append((tile.position - number) % len(tile.clip.luma))
    grid.check(path)
    # After a repeated or skipped picture this is one off; the most frequent value counts.
    return [(clips.index(tile.clip), statistics.mode(start[SETTLING:]))
            for tile, start in zip(grid.tiles, starts)]


def judge(path, layer, clips):
    """PSNR in dB, SSIM, pictures and how many of them show nothing new, of one layer."""
    grid = Grid(layer, clips)
    width, height = grid.width, grid.height
    similarity = Similarity(width, height)
    error, counted, count, repeated = 0.0, 0, 0, 0
    for count, picture in enumerate(pictures(path, width, height), 1):
        reference, repeats = grid.find(picture)
        if count <= SETTLING:
            continue
        counted += 1
        repeated += repeats
        error += squared_error(picture, reference)
        similarity.add(picture, reference)
    ssim = similarity.result()
    if counted == 0:
        raise Unfit(f"{path} has {count} pictures, too few to judge")
    grid.check(path)
    return {
        "psnr": 10 * math.log10(255**2 / (error / counted)), "ssim": ssim, "frames": count,
        "repeated": repeated / counted / len(grid.tiles),
    }
