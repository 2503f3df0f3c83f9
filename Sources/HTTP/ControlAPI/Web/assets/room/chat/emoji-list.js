// A small choice of emoji, by category, with the words by which they are found: the first ones are
// the name. Pure.

import { t, tc } from "../../common/texts.js";

const lists = {
  Smileys: [
    ["😀", tc("emoji", "grinning, happy, smile")],
    ["😄", tc("emoji", "laughing eyes, happy, smile")],
    ["😁", tc("emoji", "beaming, grin")],
    ["😅", tc("emoji", "sweat smile, relief, phew")],
    ["😂", tc("emoji", "tears of joy, laugh, lol")],
    ["🤣", tc("emoji", "rolling on the floor, laugh, rofl")],
    ["🙂", tc("emoji", "slight smile")],
    ["😉", tc("emoji", "wink")],
    ["😊", tc("emoji", "blush, happy")],
    ["😍", tc("emoji", "heart eyes, love")],
    ["😘", tc("emoji", "kiss")],
    ["😎", tc("emoji", "sunglasses, cool")],
    ["🤩", tc("emoji", "starry eyes, wow")],
    ["🤔", tc("emoji", "thinking, hmm")],
    ["🤨", tc("emoji", "raised eyebrow, doubt")],
    ["😐", tc("emoji", "neutral, meh")],
    ["🙄", tc("emoji", "rolling eyes")],
    ["😬", tc("emoji", "grimace, awkward")],
    ["😌", tc("emoji", "relieved, calm")],
    ["😴", tc("emoji", "sleeping, tired")],
    ["🤒", tc("emoji", "ill, sick, thermometer")],
    ["🥳", tc("emoji", "party face, celebrate, birthday")],
    ["😕", tc("emoji", "confused")],
    ["🙁", tc("emoji", "frown, sad")],
    ["😮", tc("emoji", "open mouth, surprise, wow")],
    ["😱", tc("emoji", "scream, fear, shock")],
    ["😢", tc("emoji", "crying, sad, tear")],
    ["😭", tc("emoji", "sobbing, cry, sad")],
    ["😤", tc("emoji", "huffing, angry")],
    ["😡", tc("emoji", "red face, angry")],
    ["🤯", tc("emoji", "exploding head, mind blown")],
    ["🤗", tc("emoji", "hugging, hug")],
    ["🤫", tc("emoji", "shushing, quiet")],
    ["🫡", tc("emoji", "salute")],
    ["🤖", tc("emoji", "robot")],
  ],
  Gestures: [
    ["👍", tc("emoji", "thumbs up, yes, good, agree, +1")],
    ["👎", tc("emoji", "thumbs down, no, bad, -1")],
    ["👏", tc("emoji", "clapping, applause, bravo")],
    ["🙌", tc("emoji", "raised hands, hooray")],
    ["👋", tc("emoji", "waving, hello, bye")],
    ["🙏", tc("emoji", "folded hands, please, thanks")],
    ["🤝", tc("emoji", "handshake, deal")],
    ["💪", tc("emoji", "muscle, strong")],
    ["👌", tc("emoji", "OK hand, perfect")],
    ["✌️", tc("emoji", "victory, peace")],
    ["🤞", tc("emoji", "crossed fingers, luck")],
    ["👀", tc("emoji", "eyes, look")],
    ["👉", tc("emoji", "pointing right")],
    ["👆", tc("emoji", "pointing up")],
    ["✋", tc("emoji", "raised hand, stop")],
    ["🤷", tc("emoji", "shrug, who knows")],
    ["🤦", tc("emoji", "face palm")],
    ["🙋", tc("emoji", "raising a hand, question")],
    ["💁", tc("emoji", "tipping a hand, info")],
  ],
  Hearts: [
    ["❤️", tc("emoji", "red heart, love")],
    ["🧡", tc("emoji", "orange heart")],
    ["💛", tc("emoji", "yellow heart")],
    ["💚", tc("emoji", "green heart")],
    ["💙", tc("emoji", "blue heart")],
    ["💜", tc("emoji", "purple heart")],
    ["🖤", tc("emoji", "black heart")],
    ["💔", tc("emoji", "broken heart")],
    ["💯", tc("emoji", "hundred, perfect")],
    ["✨", tc("emoji", "sparkles, magic")],
    ["🔥", tc("emoji", "fire, hot")],
    ["⭐", tc("emoji", "star")],
    ["💥", tc("emoji", "bang, collision")],
    ["🎉", tc("emoji", "party popper, celebrate, tada, congratulations")],
    ["🎊", tc("emoji", "confetti")],
    ["🎂", tc("emoji", "cake, birthday")],
    ["🎁", tc("emoji", "present, gift")],
    ["🏆", tc("emoji", "trophy, win")],
    ["🥇", tc("emoji", "gold medal, first")],
  ],
  Nature: [
    ["🐶", tc("emoji", "dog")],
    ["🐱", tc("emoji", "cat")],
    ["🦊", tc("emoji", "fox")],
    ["🐻", tc("emoji", "bear")],
    ["🐼", tc("emoji", "panda")],
    ["🦁", tc("emoji", "lion")],
    ["🐸", tc("emoji", "frog")],
    ["🐧", tc("emoji", "penguin")],
    ["🐝", tc("emoji", "bee")],
    ["🐢", tc("emoji", "turtle")],
    ["🦄", tc("emoji", "unicorn")],
    ["🌸", tc("emoji", "blossom, flower, spring")],
    ["🌻", tc("emoji", "sunflower")],
    ["🌲", tc("emoji", "tree")],
    ["🍀", tc("emoji", "clover, luck")],
    ["🌈", tc("emoji", "rainbow")],
    ["☀️", tc("emoji", "sun, weather")],
    ["🌧️", tc("emoji", "rain, weather")],
    ["❄️", tc("emoji", "snow, cold, winter")],
    ["🌍", tc("emoji", "earth, world, globe")],
  ],
  Food: [
    ["☕", tc("emoji", "coffee, tea, break")],
    ["🍵", tc("emoji", "tea")],
    ["🍺", tc("emoji", "beer")],
    ["🥂", tc("emoji", "cheers, glasses")],
    ["🍕", tc("emoji", "pizza")],
    ["🍔", tc("emoji", "burger")],
    ["🥗", tc("emoji", "salad")],
    ["🍜", tc("emoji", "noodles")],
    ["🍎", tc("emoji", "apple")],
    ["🍌", tc("emoji", "banana")],
    ["🍓", tc("emoji", "strawberry")],
    ["🥐", tc("emoji", "croissant")],
    ["🍞", tc("emoji", "bread")],
    ["🍪", tc("emoji", "cookie")],
    ["🍫", tc("emoji", "chocolate")],
    ["🍿", tc("emoji", "popcorn")],
  ],
  Things: [
    ["💡", tc("emoji", "idea, light bulb")],
    ["📌", tc("emoji", "pin, note")],
    ["📎", tc("emoji", "paper clip")],
    ["📅", tc("emoji", "calendar, date")],
    ["⏰", tc("emoji", "alarm clock, time")],
    ["⌛", tc("emoji", "hourglass, wait")],
    ["💻", tc("emoji", "laptop, computer")],
    ["📱", tc("emoji", "phone")],
    ["📷", tc("emoji", "camera, photo")],
    ["🎬", tc("emoji", "film, clapper board")],
    ["🎤", tc("emoji", "microphone, sing")],
    ["🎧", tc("emoji", "headphones")],
    ["🎵", tc("emoji", "music, note")],
    ["📈", tc("emoji", "chart, up")],
    ["📉", tc("emoji", "chart, down")],
    ["🔗", tc("emoji", "link")],
    ["🔒", tc("emoji", "lock, closed")],
    ["🔔", tc("emoji", "bell")],
    ["✉️", tc("emoji", "letter, mail")],
    ["✏️", tc("emoji", "pencil, write")],
    ["🚀", tc("emoji", "rocket, launch, ship it")],
    ["✈️", tc("emoji", "plane, travel")],
    ["🚲", tc("emoji", "bicycle")],
    ["🏠", tc("emoji", "house, home")],
    ["⚽", tc("emoji", "football, sport")],
  ],
  Signs: [
    ["✅", tc("emoji", "check mark, done, yes")],
    ["❌", tc("emoji", "cross, no, wrong")],
    ["❓", tc("emoji", "question")],
    ["❗", tc("emoji", "exclamation, important")],
    ["⚠️", tc("emoji", "warning")],
    ["➕", tc("emoji", "plus")],
    ["➖", tc("emoji", "minus")],
    ["➡️", tc("emoji", "arrow right")],
    ["⬅️", tc("emoji", "arrow left")],
    ["🔴", tc("emoji", "red circle, live")],
    ["🟢", tc("emoji", "green circle, go")],
    ["🔵", tc("emoji", "blue circle")],
    ["💤", tc("emoji", "zzz, sleep")],
    ["🆗", tc("emoji", "OK")],
  ],
};

const titles = {
  Smileys: t("Smileys"), Gestures: t("Gestures"), Hearts: t("Hearts"), Nature: t("Nature"),
  Food: t("Food"), Things: t("Things"), Signs: t("Signs"),
};

/** @typedef {{text: string, name: string, words: string}} Emoji */

/** @type {{name: string, emoji: Emoji[]}[]} */
export const emojiCategories = Object.entries(lists).map(([key, list]) => ({
  name: titles[key],
  emoji: list.map(([text, words]) => ({ text, name: words.split(",")[0], words: plain(words) })),
}));

/** Without accents, which many leave out in a search. */
function plain(text) {
  return text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
}

/** Those of a category whose words all begin with what is typed; empty categories are left out. */
export function foundEmoji(query) {
  const wanted = plain(query).split(/\s+/).filter(Boolean);
  const fits = ({ words }) => {
    const all = words.split(/[\s,]+/);
    return wanted.every((one) => all.some((word) => word.startsWith(one)));
  };
  return emojiCategories.map(({ name, emoji }) => ({ name, emoji: emoji.filter(fits) }))
    .filter(({ emoji }) => emoji.length > 0);
}
