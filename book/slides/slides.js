// One slide at a time, as large as fits. #12 in the address is slide 12.
// Arrows, Page Up and Down, space, Home and End move; n shows the notes, d
// turns dark and light.
(() => {
  const WIDTH = 1280, HEIGHT = 720, SHARE_WITH_NOTES = 0.64;
  const slides = [...document.querySelectorAll('.slide')];
  const page = document.body, root = document.documentElement;
  const progress = document.createElement('div');
  let now = 0;

  function fit() {
    const height = innerHeight *
      (page.classList.contains('with-notes') ? SHARE_WITH_NOTES : 1);
    const scale = Math.min(innerWidth / WIDTH, height / HEIGHT);
    const left = (innerWidth - WIDTH * scale) / 2;
    const top = (height - HEIGHT * scale) / 2;
    for (const slide of slides) {
      slide.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
    }
  }

  // The element behind a slide has its notes, where there are any.
  function show(number) {
    for (const step of [false, true]) {
      slides[now].classList.toggle('now', step);
      const notes = slides[now].nextElementSibling;
      if (notes?.classList.contains('notes')) {
        notes.classList.toggle('now', step);
      }
      now = Math.max(0, Math.min(slides.length - 1, number));
    }
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

  function notes() {
    page.classList.toggle('with-notes');
    fit();
  }

  const keys = {
    ArrowRight: on, ArrowDown: on, PageDown: on, ArrowLeft: back,
    ArrowUp: back, PageUp: back,
    Home: () => show(0), End: () => show(slides.length - 1),
    n: notes, d: dark,
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
  addEventListener('resize', fit);

  page.classList.add('talk');
  progress.id = 'progress';
  page.append(progress);
  fit();
  fromAddress();
})();
