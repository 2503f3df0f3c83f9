// A picture file on its way to the server: made small enough first, in the page.

import { t } from "../../common/texts.js";

const mostBytes = 4 * 1024 * 1024; // that the server takes
const longestSide = 1920; // px; the server would scale down what is larger
const types = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const quality = 0.9;
const shrink = 0.75; // of both sides, while a file is still too large

/** For file inputs. */
export const pictureTypes = types.join(",");

/**
 * @param {File} file
 * @param {(picture: Blob) => Promise<{image: string}>} send
 * @returns {Promise<string>} the name by which layouts know the picture
 * @throws {Error} with words for the user
 */
export async function uploadPicture(file, send) {
  const { image } = await send(await fitted(file));
  return image;
}

/** @returns {string|null} the address of a picture that was uploaded; null for any other image */
export function pictureAddress(image) {
  const id = /^picture:([0-9a-f]{32})$/.exec(image ?? "")?.[1];
  return id ? `/pictures/${id}` : null;
}

/** The file itself if the server takes it. */
async function fitted(file) {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw unreadable(file);
  });
  try {
    const isSmall = Math.max(bitmap.width, bitmap.height) <= longestSide;
    if (isSmall && file.size <= mostBytes && types.includes(file.type)) return file;
    return await encoded(bitmap, file);
  } finally {
    bitmap.close();
  }
}

async function encoded(bitmap, file) {
  // PNG and WebP keep what is transparent. A browser that cannot write a type writes another.
  const wanted = file.type === "image/jpeg" ? ["image/jpeg"] : ["image/png", "image/webp"];
  for (let side = longestSide; side > 0; side = Math.floor(side * shrink)) {
    const canvas = drawn(bitmap, side);
    for (const type of wanted) {
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, type, quality));
      if (blob?.type === type && blob.size <= mostBytes) return blob;
    }
  }
  throw unreadable(file);
}

/** @param {number} side px that the longer one has at most */
function drawn(bitmap, side) {
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function unreadable({ name }) {
  return new Error(t("“{name}” is no picture that this browser can read. PNG, JPEG, WebP and GIF "
    + "files will do.", { name }));
}
