// The player's keys. They work while the focus is in the player, or nowhere in particular.

const volumeStep = 0.1;

const actions = {
  k: (controls) => controls.togglePlay(),
  " ": (controls) => controls.togglePlay(),
  m: (controls) => controls.toggleMuted(),
  f: (controls) => controls.toggleFullScreen(),
  c: (controls) => controls.cycleCaptions(),
  j: (controls) => controls.seekBy(-10),
  l: (controls) => controls.seekBy(10),
  ArrowLeft: (controls) => controls.seekBy(-5),
  ArrowRight: (controls) => controls.seekBy(5),
  ArrowUp: (controls) => controls.changeVolume(volumeStep),
  ArrowDown: (controls) => controls.changeVolume(-volumeStep),
  End: (controls) => controls.seekToLive(),
};

export class Keys {
  /**
   * @param {Element} screen
   * @param {import("./controls.js").Controls} controls
   */
  constructor(screen, controls) {
    document.addEventListener("keydown", (event) => {
      const { target, key } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const isOurs = screen.contains(target) || target === document.body
        || target.tabIndex < 0 && !target.matches("input, textarea, select");
      const isShown = !controls.node.hidden && screen.getClientRects().length > 0;
      if (!isOurs || !isShown) return;
      // Buttons and sliders have keys of their own.
      if (key === " " && target.matches("button, a[href], summary")) return;
      if (key.length > 1 && target.matches("input")) return;
      if (target.matches("input:not([type=range]), textarea, select")) return;
      const action = actions[key.length === 1 ? key.toLowerCase() : key];
      if (!action) return;
      event.preventDefault();
      controls.wake();
      action(controls);
    });
  }
}
