"""Servers that stream pages of the web, and streams of such pages."""

from .server import Server

LADDER = [{"width": 640, "height": 360, "videoBitrate": 800, "audioBitrate": 96}]
TIMEOUT = 120  # s


def serve(tmp_path_factory, hosts, port=None, maximum=3, cores=4):
    return Server(
        tmp_path_factory.mktemp("caster"), port=port,
        settings={
            "ROOMCAST_CUSTOM_VIEW_ENABLED": "true",
            "ROOMCAST_CUSTOM_VIEW_HOSTS": hosts,
            "ROOMCAST_CUSTOM_VIEW_MAXIMUM": str(maximum),
            "ROOMCAST_CUSTOM_VIEW_MEMORY_MAXIMUM": "1024",
            "ROOMCAST_CUSTOM_VIEW_CORES_MAXIMUM": str(cores),
            "ROOMCAST_STREAM_VARIANTS_PER_ROOM_MAXIMUM": "4",
            "ROOMCAST_STREAM_MAXIMUM": "6",
        })


def start(caster, room, url, **body):
    return caster.start_stream(room, {
        "meeting_url": url, "ladder": LADDER, "segment_seconds": 1, **body})


def stop(caster, room, *streams):
    caster.stop_stream(room)
    for stream in streams:
        caster.wait_for_status(stream["id"], "completed", TIMEOUT)
