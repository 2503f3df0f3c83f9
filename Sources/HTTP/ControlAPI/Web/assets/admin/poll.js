// Asks again and again while somebody looks.

/**
 * @param {() => Promise<void>} ask it handles its own errors
 * @param {number} interval ms between an answer and the next request
 * @returns {{stop: () => void, now: () => Promise<void>}}
 */
export function poll(ask, interval) {
  let timer = null;
  let isOver = false;
  let round = 0;

  async function turn() {
    clearTimeout(timer);
    const mine = ++round;
    if (document.hidden || isOver) return;
    await ask();
    if (mine === round && !isOver) timer = setTimeout(turn, interval);
  }

  const onVisible = () => {
    if (!document.hidden) turn();
  };
  document.addEventListener("visibilitychange", onVisible);
  turn();
  return {
    now: turn,
    stop() {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    },
  };
}
