"""Picture files that the studio sends, without the server: they fit, and are pictures."""

import pytest

# Sends a file that is drawn here: one colour, left half only, or noise, which hardly compresses.
# Returns what a server would get, with the opacity of a pixel on either side.
SEND = """async ([width, height, type, isNoise]) => {
  const { uploadPicture } = await import("/assets/room/studio/picture-upload.js");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  if (isNoise) {
    const image = context.createImageData(width, height);
    const words = new Uint32Array(image.data.buffer);
    let seed = 1;
    for (let index = 0; index < words.length; index += 1) {
      seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
      words[index] = (seed >>> 8) | 0xff000000;
    }
    context.putImageData(image, 0, 0);
  } else {
    context.fillStyle = "red";
    context.fillRect(0, 0, width / 2, height);
  }
  const drawn = await new Promise((resolve) => canvas.toBlob(resolve, type));
  const file = new File([drawn], "drawn", { type });
  let sent;
  const image = await uploadPicture(file, async (picture) => {
    sent = picture;
    return { image: "picture:1" };
  });
  const bitmap = await createImageBitmap(sent);
  context.reset();
  context.drawImage(bitmap, 0, 0);
  const opacityAt = (x) => context.getImageData(x, 5, 1, 1).data[3];
  return { image, type: sent.type, size: [bitmap.width, bitmap.height], isFile: sent === file,
    isLight: sent.size <= 4194304, wasLight: file.size <= 4194304,
    opacity: [opacityAt(5), opacityAt(bitmap.width - 5)] };
}"""
REFUSE = """async ([type, text]) => {
  const { uploadPicture } = await import("/assets/room/studio/picture-upload.js");
  const sent = [];
  const words = await uploadPicture(new File([text], "a.png", { type }), (one) => sent.push(one))
    .catch((error) => error.message);
  return [words, sent.length];
}"""


def test_a_small_file_is_sent_as_it_is(page):
    sent = page.evaluate(SEND, [800, 200, "image/png", False])
    assert sent["isFile"] and sent["image"] == "picture:1"


@pytest.mark.parametrize(("type", "opacity"), [("image/png", [255, 0]), ("image/jpeg", [255] * 2)])
def test_a_large_picture_is_scaled_down_and_keeps_its_type(page, type, opacity):
    sent = page.evaluate(SEND, [3840, 600, type, False])
    assert (sent["type"], sent["size"]) == (type, [1920, 300])
    assert sent["opacity"] == opacity


def test_what_is_too_large_as_png_is_sent_as_webp(page):
    sent = page.evaluate(SEND, [1400, 1400, "image/png", True])
    assert not sent["wasLight"] and sent["isLight"]
    assert (sent["type"], sent["size"]) == ("image/webp", [1400, 1400])


@pytest.mark.parametrize(("type", "text"), [
    ("text/plain", "words"), ("image/png", "words"), ("image/png", ""),
    ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>")])
def test_a_file_that_is_no_picture_is_refused_in_words(page, type, text):
    words, sent = page.evaluate(REFUSE, [type, text])
    assert words.startswith("“a.png” is no picture") and sent == 0


def test_only_uploaded_pictures_have_an_address_here(page):
    name = "0123456789abcdef0123456789abcdef"
    found = page.evaluate("""async (images) => {
      const { pictureAddress } = await import("/assets/room/studio/picture-upload.js");
      return images.map(pictureAddress);
    }""", [f"picture:{name}", f"picture:{name}0", f"picture:../{name}", "https://a.test/", None])
    assert found == [f"/pictures/{name}", None, None, None, None]
