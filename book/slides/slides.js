// One slide at a time. #12 in the address is slide 12.
// Arrows, Page Up and Down, space, Home and End move; n shows the notes, d
// turns dark and light.
(() => {
  const slides = [...document.querySelectorAll('.slide')];
  const root = document.documentElement;
  const progress = document.createElement('div');
  let now = 0;

  function show(number) {
    slides[now].classList.remove('now');
    now = Math.max(0, Math.min(slides.length - 1, number));
    slides[now].classList.add('now');
    progress.style.width = `${100 * (now + 1) / slides.length}%`;
    step(0, true);
    document.title = document.title.replace(/^(\d+\. )?/, `${now + 1}. `);
    if (location.hash !== `#${now + 1}`) {
      history.replaceState(null, '', `#${now + 1}`);
    }
  }

  // A drawing that moves takes its steps before the slide goes.
  function step(by, first) {
    const steps = [...slides[now].querySelectorAll('.step')];
    const at = first ? 0
      : steps.findIndex((its) => its.classList.contains('now')) + by;
    if (!steps[at]) return false;
    steps.forEach((its, index) => its.classList.toggle('now', index === at));
    return true;
  }
  const on = () => step(1) || show(now + 1);
  const back = () => step(-1) || show(now - 1);

  function dark() {
    const asked = matchMedia('(prefers-color-scheme: dark)').matches;
    const is = root.dataset.theme || (asked ? 'dark' : 'light');
    root.dataset.theme = is === 'dark' ? 'light' : 'dark';
  }

  const keys = {
    ArrowRight: on, ArrowDown: on, PageDown: on, ArrowLeft: back,
    ArrowUp: back, PageUp: back,
    Home: () => show(0), End: () => show(slides.length - 1),
    n: () => root.classList.toggle('with-notes'), d: dark,
  };
  addEventListener('keydown', (event) => {
    const key = event.key === ' '
      ? (event.shiftKey ? 'PageUp' : 'PageDown') : event.key;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (!Object.hasOwn(keys, key)) return;
    event.preventDefault();
    keys[key]();
  });
  const fromAddress = () => show((parseInt(location.hash.slice(1), 10) || 1)
    - 1);
  addEventListener('hashchange', fromAddress);

  root.classList.add('talk');
  progress.id = 'progress';
  document.body.append(progress);
  fromAddress();
})();
