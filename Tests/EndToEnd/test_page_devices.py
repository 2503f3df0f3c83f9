"""Cameras, microphones and loudspeakers on the page, without the server."""

import pytest


def with_devices(steps):
    """The steps, with a `media` whose questions to the browser are answered by hand."""
    return """async () => {
  const { LocalMedia } = await import("/assets/room/devices/local-media.js");
  const asked = []; // what the browser was asked for, each to be granted or refused
  const given = []; // tracks
  const make = {
    video() {
      const canvas = document.createElement("canvas");
      canvas.getContext("2d");
      return canvas.captureStream().getVideoTracks()[0];
    },
    audio() {
      window.context ??= new AudioContext();
      return window.context.createMediaStreamDestination().stream.getAudioTracks()[0];
    },
  };
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  navigator.mediaDevices.getUserMedia = (wanted) => new Promise((resolve, reject) => asked.push({
    wanted,
    grant() {
      const tracks = ["video", "audio"].filter((kind) => wanted[kind]).map((kind) => make[kind]());
      given.push(...tracks);
      // No page can make a track end by itself, and Firefox' tracks dispatch nothing of a page's.
      for (const track of tracks) {
        track.addEventListener = (type, handler) => (track.unplug = handler);
      }
      resolve(new MediaStream(tracks));
      return settled();
    },
    refuse(name) {
      reject(new DOMException("No.", name));
      return settled();
    },
  }));
  const live = () => given.filter((track) => track.readyState === "live")
    .map(({ kind, enabled }) => (enabled ? kind : `silent ${kind}`)).sort();
  const media = new LocalMedia();
  const opened = async () => {
    media.start();
    await settled();
    await asked.at(-1).grant();
  };
  try { %s } finally { delete navigator.mediaDevices.getUserMedia; }
}""" % steps


def test_a_microphone_muted_before_it_is_there_is_silent(page):
    found = page.evaluate(with_devices("""
      await opened();
      media.release({ camera: false, microphone: true });
      media.setMicrophone(true);
      media.setMicrophone(false);
      await settled();
      await asked.at(-1).grant();
      return [media.isMicrophoneOn, live()];
    """))
    assert found == [False, ["silent audio", "video"]]


@pytest.mark.parametrize(("step", "expected"), [
    ("media.setCamera(false)", ["audio"]),
    ("media.release({ camera: true, microphone: false })", ["audio"]),
    ("media.release({ camera: false, microphone: true })", ["video"]),
    ("media.stop()", []),
])
def test_a_device_given_up_before_it_is_there_is_given_back(page, step, expected):
    assert page.evaluate(with_devices(f"""
      media.start();
      await settled();
      {step};
      await asked[0].grant();
      return live();
    """)) == expected


@pytest.mark.parametrize("kind", ["Camera", "Microphone"])
def test_of_two_devices_chosen_at_once_the_second_is_in_use(page, kind):
    found = page.evaluate(with_devices(f"""
      await opened();
      media.choose{kind}("one");
      media.choose{kind}("two");
      await settled();
      for (let next = 1; next < asked.length; next += 1) await asked[next].grant();
      const {{ video, audio }} = asked.at(-1).wanted;
      return [live(), media.stream.getTracks().length, (video || audio).deviceId];
    """))
    assert found == [["audio", "video"], 2, {"exact": "two"}]


def test_another_microphone_is_muted_from_the_beginning(page):
    found = page.evaluate(with_devices("""
      await opened();
      media.setMicrophone(false);
      await settled();
      const told = [];
      media.addEventListener("change", () => told.push(media.isMicrophoneOn));
      media.chooseMicrophone("other");
      await settled();
      await asked.at(-1).grant();
      return [[...new Set(told)], live(), asked.length];
    """))
    assert found == [[False], ["silent audio", "video"], 2]


def test_what_was_turned_off_is_not_asked_for_again(page):
    found = page.evaluate(with_devices("""
      media.start();
      await settled();
      media.setCamera(false);
      await asked[0].refuse("NotFoundError");
      await asked[1].grant();
      await settled();
      return [asked.length, media.isCameraOn, live()];
    """))
    assert found == [2, False, ["audio"]]


def test_a_wish_is_shown_before_the_device_has_answered(page):
    found = page.evaluate(with_devices("""
      media.start();
      const told = [];
      media.addEventListener("change", () => told.push([media.isCameraOn, media.isMicrophoneOn]));
      media.setCamera(false);
      media.setMicrophone(false);
      media.setCamera(true);
      return told;
    """))
    assert found == [[False, True], [False, False], [True, False]]


def test_what_is_wrong_with_a_device_is_told_once_and_stands_until_that_device_works(page):
    found = page.evaluate(with_devices("""
      const told = [], shown = [];
      media.addEventListener("problem", ({ detail }) => told.push(detail));
      media.start();
      await settled();
      await asked[0].refuse("NotAllowedError");
      await asked[1].grant();
      await asked[2].refuse("NotReadableError");
      shown.push(media.problem);
      await media.setCamera(false);
      media.setCamera(true);
      await settled();
      await asked[3].refuse("NotReadableError");
      shown.push(media.problem);
      media.setMicrophone(true);
      await settled();
      await asked[4].grant();
      shown.push(media.problem);
      return [told, shown];
    """))
    sound, picture = (f"Your {word} is in use by another program."
                      for word in ("microphone", "camera"))
    assert found == [[sound, picture], [sound, f"{picture} {sound}", picture]]


def test_a_device_that_was_taken_out_is_told_and_another_is_taken(page):
    found = page.evaluate(with_devices("""
      await opened();
      media.chooseMicrophone("headset");
      await settled();
      await asked[1].grant();
      media.microphone.unplug();
      const shown = [media.isMicrophoneOn, media.problem, live()];
      media.setMicrophone(true);
      await settled();
      await asked[2].refuse("OverconstrainedError");
      await asked[3].grant();
      const ids = asked.map(({ wanted }) => wanted.audio.deviceId?.exact ?? "");
      return [shown, ids, media.problem, live()];
    """))
    assert found == [[False, "Your microphone was disconnected.", ["video"]],
                     ["", "headset", "headset", ""], "", ["audio", "video"]]


def test_that_no_device_at_all_is_there_is_told(page):
    found = page.evaluate(with_devices("""
      await opened();
      media.chooseCamera("one");
      await settled();
      await asked[1].refuse("NotFoundError");
      await asked[2].refuse("NotFoundError");
      return [asked.length, media.isCameraOn, media.problem];
    """))
    assert found == [3, False, "No camera was found."]


def test_a_device_that_was_plugged_in_is_listed(page):
    assert page.evaluate(with_devices("""
      let count = 0;
      media.addEventListener("change", () => (count += 1));
      navigator.mediaDevices.dispatchEvent(new Event("devicechange"));
      return count;
    """)) == 1


CHOOSE_LOUDSPEAKER = """async (answer) => {
  const { RoomSound } = await import("/assets/room/room-sound.js");
  const { LocalMedia } = await import("/assets/room/devices/local-media.js");
  const { chooseDevices } = await import("/assets/room/devices/device-dialog.js");
  const { dismissAll } = await import("/assets/common/dialog.js");
  navigator.mediaDevices.selectAudioOutput = async () => {
    if (typeof answer === "string") throw new DOMException("No.", answer);
    return answer;
  };
  const faults = [], chosen = [];
  const sound = new RoomSound(() => {});
  sound.chooseOutput = async (id) => chosen.push(id);
  const onFault = (text) => faults.push(text);
  const done = chooseDevices({ media: new LocalMedia(), sound, onFault });
  try {
    const find = () => document.querySelector("[data-testid=call-speaker-chooser]");
    for (let tries = 0; tries < 6000 && !find(); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const lists = document.querySelectorAll("[data-testid=call-speaker-device]").length;
    const before = find().innerText;
    find().click();
    await new Promise((resolve) => setTimeout(resolve, 10));
    return [lists, before, find().innerText, chosen, faults];
  } finally {
    dismissAll();
    delete navigator.mediaDevices.selectAudioOutput;
    await done;
  }
}"""


@pytest.mark.parametrize(("answer", "text", "chosen", "faults"), [
    ({"deviceId": "usb", "label": "USB"}, "USB …", ["usb"], []),
    ("NotAllowedError", "Choose a loudspeaker …", [], []),  # how the browser's own list is left
    ("NotFoundError", "Choose a loudspeaker …", [], ["No."]),
])
def test_a_browser_that_has_a_list_of_loudspeakers_is_asked_for_it(
        page, answer, text, chosen, faults):
    assert page.evaluate(CHOOSE_LOUDSPEAKER, answer) == [
        0, "Choose a loudspeaker …", text, chosen, faults]
