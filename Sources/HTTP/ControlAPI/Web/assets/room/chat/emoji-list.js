// A small choice of emoji, by category, with the words by which they are found: the first ones are
// the name. They are English in every language. Pure.

import { t } from "../../common/texts.js";

const lists = {
  Smileys: `
😀 grinning, happy, smile
😄 laughing eyes, happy, smile
😁 beaming, grin
😅 sweat smile, relief, phew
😂 tears of joy, laugh, lol
🤣 rolling on the floor, laugh, rofl
🙂 slight smile
😉 wink
😊 blush, happy
😍 heart eyes, love
😘 kiss
😎 sunglasses, cool
🤩 starry eyes, wow
🤔 thinking, hmm
🤨 raised eyebrow, doubt
😐 neutral, meh
🙄 rolling eyes
😬 grimace, awkward
😌 relieved, calm
😴 sleeping, tired
🤒 ill, sick, thermometer
🥳 party face, celebrate, birthday
😕 confused
🙁 frown, sad
😮 open mouth, surprise, wow
😱 scream, fear, shock
😢 crying, sad, tear
😭 sobbing, cry, sad
😤 huffing, angry
😡 red face, angry
🤯 exploding head, mind blown
🤗 hugging, hug
🤫 shushing, quiet
🫡 salute
🤖 robot`,
  Gestures: `
👍 thumbs up, yes, good, agree, +1
👎 thumbs down, no, bad, -1
👏 clapping, applause, bravo
🙌 raised hands, hooray
👋 waving, hello, bye
🙏 folded hands, please, thanks
🤝 handshake, deal
💪 muscle, strong
👌 OK hand, perfect
✌️ victory, peace
🤞 crossed fingers, luck
👀 eyes, look
👉 pointing right
👆 pointing up
✋ raised hand, stop
🤷 shrug, who knows
🤦 face palm
🙋 raising a hand, question
💁 tipping a hand, info`,
  Hearts: `
❤️ red heart, love
🧡 orange heart
💛 yellow heart
💚 green heart
💙 blue heart
💜 purple heart
🖤 black heart
💔 broken heart
💯 hundred, perfect
✨ sparkles, magic
🔥 fire, hot
⭐ star
💥 bang, collision
🎉 party popper, celebrate, tada, congratulations
🎊 confetti
🎂 cake, birthday
🎁 present, gift
🏆 trophy, win
🥇 gold medal, first`,
  Nature: `
🐶 dog
🐱 cat
🦊 fox
🐻 bear
🐼 panda
🦁 lion
🐸 frog
🐧 penguin
🐝 bee
🐢 turtle
🦄 unicorn
🌸 blossom, flower, spring
🌻 sunflower
🌲 tree
🍀 clover, luck
🌈 rainbow
☀️ sun, weather
🌧️ rain, weather
❄️ snow, cold, winter
🌍 earth, world, globe`,
  Food: `
☕ coffee, tea, break
🍵 tea
🍺 beer
🥂 cheers, glasses
🍕 pizza
🍔 burger
🥗 salad
🍜 noodles
🍎 apple
🍌 banana
🍓 strawberry
🥐 croissant
🍞 bread
🍪 cookie
🍫 chocolate
🍿 popcorn`,
  Things: `
💡 idea, light bulb
📌 pin, note
📎 paper clip
📅 calendar, date
⏰ alarm clock, time
⌛ hourglass, wait
💻 laptop, computer
📱 phone
📷 camera, photo
🎬 film, clapper board
🎤 microphone, sing
🎧 headphones
🎵 music, note
📈 chart, up
📉 chart, down
🔗 link
🔒 lock, closed
🔔 bell
✉️ letter, mail
✏️ pencil, write
🚀 rocket, launch, ship it
✈️ plane, travel
🚲 bicycle
🏠 house, home
⚽ football, sport`,
  Signs: `
✅ check mark, done, yes
❌ cross, no, wrong
❓ question
❗ exclamation, important
⚠️ warning
➕ plus
➖ minus
➡️ arrow right
⬅️ arrow left
🔴 red circle, live
🟢 green circle, go
🔵 blue circle
💤 zzz, sleep
🆗 OK`,
};

const titles = {
  Smileys: t("Smileys"), Gestures: t("Gestures"), Hearts: t("Hearts"), Nature: t("Nature"),
  Food: t("Food"), Things: t("Things"), Signs: t("Signs"),
};

/** @typedef {{text: string, name: string, words: string}} Emoji */

/** @type {{name: string, emoji: Emoji[]}[]} */
export const emojiCategories = Object.entries(lists).map(([key, list]) => ({
  name: titles[key],
  emoji: list.trim().split("\n").map((line) => {
    const [, text, words] = /^(\S+) (.+)$/u.exec(line);
    return { text, name: words.split(",")[0], words: words.toLowerCase() };
  }),
}));

/** Those of a category whose words all begin with what is typed; empty categories are left out. */
export function foundEmoji(query) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ words }) => {
    const all = words.split(/[\s,]+/);
    return wanted.every((one) => all.some((word) => word.startsWith(one)));
  };
  return emojiCategories.map(({ name, emoji }) => ({ name, emoji: emoji.filter(fits) }))
    .filter(({ emoji }) => emoji.length > 0);
}
