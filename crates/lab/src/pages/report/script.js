// What the page can do beyond being read: one section at a time, search, values on plots, logarithmic or linear axes,
// rungs side by side, light and dark. Everything is in the page without it.
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const sections = all('main > section');
  const whole = document.querySelector('main').dataset.whole;
  if (!sections.length) return;
  root.classList.add('js');

  // The state is in the address, so that a link keeps it: #section;theme=dark;scale=linear;q=words.
  const state = new Map();
  let place = '';
  const read = () => {
    const [id, ...rest] = decodeURIComponent(location.hash.slice(1)).split(';');
    place = id;
    state.clear();
    for (const part of rest) {
      const at = part.indexOf('=');
      if (at > 0) state.set(part.slice(0, at), part.slice(at + 1));
    }
  };
  const write = () => {
    const parts = [place, ...[...state].map(([name, value]) => `${name}=${value}`)];
    history.replaceState(null, '', '#' + parts.map(encodeURIComponent).join(';'));
  };
  const set = (name, value) => {
    if (value) state.set(name, value);
    else state.delete(name);
    write();
  };

  read();

  // One section at a time; `all` shows every one.
  const links = all('nav a');
  const show = (jump) => {
    const target = document.getElementById(place);
    const current = target?.closest('main > section') ?? sections[0];
    const every = place === 'all' || whole;
    for (const section of sections) section.classList.toggle('away', !every && section !== current);
    for (const link of links) {
      if (!every && link.hash === '#' + current.id) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    for (let box = target?.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;
    if (jump && target && target !== current) target.scrollIntoView();
    else if (jump) scrollTo(0, 0);
  };
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    const before = place;
    place = link.getAttribute('href').slice(1);
    if (place !== before) history.pushState(null, '', '#' + before);
    write();
    show(true);
    const target = document.getElementById(place);
    if (target) {
      target.setAttribute('tabindex', '-1');
      target.focus({ preventScroll: true });
    }
  });

  // Light and dark.
  const themes = ['', 'light', 'dark'];
  const paint = make('button', { type: 'button' });
  const theme = () => {
    const name = state.get('theme') ?? '';
    if (name) root.dataset.theme = name;
    else delete root.dataset.theme;
    paint.textContent = `Colours: ${name || 'as the system'}`;
  };
  paint.addEventListener('click', () => {
    set('theme', themes[(themes.indexOf(state.get('theme') ?? '') + 1) % themes.length]);
    theme();
  });

  // What a term means, where the pointer is.
  for (const term of all('a.term')) {
    term.title = document.getElementById(term.hash.slice(1))?.querySelector('dd').textContent ?? '';
  }

  // Search: headings, rungs and rows whose words contain all that is typed.
  const entries = [];
  for (const section of sections) {
    const title = (section.querySelector('h2') ?? document.querySelector('h1')).textContent;
    entries.push([section.id, title, title]);
    for (const part of all('[id] > th, h3, h4, dt, summary', section)) {
      const home = part.closest('[id]');
      entries.push([home.id, part.textContent.trim(), title]);
    }
  }
  const found = make('ul', { id: 'found' });
  const input = make('input', { type: 'search', id: 'query', autocomplete: 'off' });
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    if (!words.length) return;
    const hits = entries.filter(([, text, title]) => words.every((word) => `${text} ${title}`.toLowerCase().includes(word)));
    for (const [id, text, title] of hits.slice(0, 12)) {
      const link = make('a', { href: '#' + id }, text.length > 70 ? text.slice(0, 70) + '…' : text);
      found.append(make('li', {}, link, text === title ? '' : ` in ${title}`));
    }
    if (!hits.length) found.append(make('li', {}, 'nothing of this page has these words'));
    else if (hits.length > 12) found.append(make('li', {}, `and ${hits.length - 12} more`));
  };
  input.addEventListener('input', () => { set('q', input.value); search(); });

  // Plots: the value of the nearest point, by pointer or arrow keys.
  const tip = make('div', { id: 'tip', role: 'status' });
  const point = (mark) => {
    all('.at').forEach((other) => other.classList.remove('at'));
    mark.classList.add('at');
    tip.textContent = mark.querySelector('title').textContent;
    const box = mark.getBoundingClientRect();
    tip.hidden = false;
    const left = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${left}px`;
    tip.style.top = `${box.top > 50 ? box.top - tip.offsetHeight - 8 : box.bottom + 8}px`;
  };
  const rest = () => { tip.hidden = true; all('.at').forEach((mark) => mark.classList.remove('at')); };
  for (const svg of all('figure.plot svg')) {
    const marks = all('circle, .mark', svg).filter((mark) => mark.querySelector('title'));
    if (!marks.length) continue;
    svg.setAttribute('tabindex', '0');
    let at = -1;
    svg.addEventListener('pointermove', (event) => {
      const far = (mark) => {
        const box = mark.getBoundingClientRect();
        const [x, y] = [Math.max(box.left - event.clientX, 0, event.clientX - box.right), Math.max(box.top - event.clientY, 0, event.clientY - box.bottom)];
        return Math.hypot(x, y);
      };
      const nearest = marks.reduce((best, mark) => (far(mark) < far(best) ? mark : best));
      if (far(nearest) < 24) point(nearest);
      else rest();
    });
    svg.addEventListener('pointerleave', rest);
    svg.addEventListener('blur', rest);
    svg.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === 'Escape') rest();
      if (!step) return;
      event.preventDefault();
      at = (at + step + marks.length) % marks.length;
      point(marks[at]);
    });
  }

  // Axes: logarithmic, as drawn, or linear from zero.
  const say = (value) => (value === 0 ? '0' : Number(value.toPrecision(2)) >= 1e6 || value < 1e-3 ? value.toExponential(0) : String(Number(value.toPrecision(2))));
  const scaled = all('svg[data-area]').map((svg) => {
    const [left, top, right, bottom] = svg.dataset.area.split(' ').map(Number);
    // The words of a point end with its place: "gpu-8-shuffle: 2101 at 67108864".
    const points = all('circle[data-y]', svg).map((circle) => ({
      circle, x: Number(circle.textContent.split(' at ').pop()), y: Number(circle.dataset.y), cx: circle.getAttribute('cx'), cy: circle.getAttribute('cy'),
    }));
    const lines = all('path[data-line]', svg).map((path) => ({ path, d: path.getAttribute('d') }));
    const ticks = svg.querySelector('.ticks');
    const drawn = ticks.innerHTML;
    return (linear) => {
      if (!linear || !points.length) {
        for (const p of points) { p.circle.setAttribute('cx', p.cx); p.circle.setAttribute('cy', p.cy); }
        for (const { path, d } of lines) path.setAttribute('d', d);
        ticks.innerHTML = drawn;
        return;
      }
      const [mx, my] = [Math.max(...points.map((p) => p.x)), Math.max(...points.map((p) => p.y))];
      const [px, py] = [(x) => left + (x / mx) * (right - left), (y) => bottom - (y / my) * (bottom - top)];
      for (const p of points) {
        p.circle.setAttribute('cx', px(p.x));
        p.circle.setAttribute('cy', py(p.y));
      }
      for (const { path } of lines) {
        const own = points.filter((p) => p.circle.parentElement.dataset.of === path.dataset.line);
        if (own.length) path.setAttribute('d', 'M' + own.map((p) => `${px(p.x)} ${py(p.y)}`).join('L'));
      }
      const rules = [];
      for (let i = 0; i <= 4; i += 1) {
        const [x, y] = [(mx * i) / 4, (my * i) / 4];
        rules.push(`<path d="M${px(x)} ${top}V${bottom}M${left} ${py(y)}H${right}" stroke="currentColor" stroke-opacity=".15"/>`);
        rules.push(`<text x="${px(x)}" y="${bottom + 18}" text-anchor="middle">${say(x)}</text>`);
        const unit = svg.dataset.unit ? ' ' + svg.dataset.unit : '';
        rules.push(`<text x="${left - 8}" y="${py(y) + 4}" text-anchor="end">${say(y)}${y ? unit : ''}</text>`);
      }
      ticks.innerHTML = rules.join('');
    };
  });
  const axes = make('button', { type: 'button' });
  const scale = () => {
    const linear = state.get('scale') === 'linear';
    axes.textContent = `Axes of plots: ${linear ? 'linear' : 'logarithmic'}`;
    scaled.forEach((draw) => draw(linear));
  };
  axes.addEventListener('click', () => { set('scale', state.get('scale') === 'linear' ? '' : 'linear'); scale(); });

  // Two rungs side by side, with their source and their row of the table.
  for (const box of all('.sources')) {
    const sources = new Map(all('details', box).map((source) => [source.dataset.rung, source]));
    if (sources.size < 2) continue;
    const section = box.closest('section');
    const panes = make('div', { class: 'panes' });
    const choose = (side, first) => {
      const id = `${section.id}-${side}`;
      const options = [...sources.keys()].map((name) => make('option', {}, name));
      const select = make('select', { id }, ...options);
      select.value = [...sources.keys()][first];
      return { select, label: make('label', { for: id }, side === 'left' ? 'Side by side:' : 'beside') };
    };
    const sides = [choose('left', 0), choose('right', 1)];
    const draw = () => {
      panes.replaceChildren(...sides.map(({ select }) => {
        const source = sources.get(select.value);
        const pane = make('div', { class: 'pane' }, make('h4', {}, select.value), source.querySelector('pre').cloneNode(true));
        for (const row of all('table.ladder tbody tr', section)) {
          if (row.querySelector('.rung')?.textContent !== select.value) continue;
          const list = make('dl', { class: 'numbers' });
          for (const cell of all('td:is(.number, [data-field])[data-label]', row)) {
            list.append(make('div', {}, make('dt', {}, cell.dataset.label), make('dd', {}, cell.textContent)));
          }
          pane.append(list);
        }
        return pane;
      }));
    };
    const apply = () => { set('left', sides[0].select.value); set('right', sides[1].select.value); draw(); };
    const given = [state.get('left'), state.get('right')];
    sides.forEach(({ select }, i) => {
      if (given[i] && sources.has(given[i])) select.value = given[i];
      select.addEventListener('change', apply);
    });
    box.before(make('p', { class: 'choose' }, ...sides.flatMap(({ label, select }) => [label, ' ', select, ' '])), panes);
    panes.addEventListener('scroll', rest, true);
    draw();
  }

  const bar = document.getElementById('tools');
  bar.append(make('span', {}, make('label', { for: 'query' }, 'Search '), input), paint, ...(scaled.length ? [axes] : []), ...(whole ? [] : [make('a', { href: '#all' }, 'Show everything')]));
  bar.after(found);
  bar.hidden = false;
  document.body.append(tip);
  tip.hidden = true;
  addEventListener('scroll', rest, { passive: true });
  addEventListener('hashchange', () => { start(); show(true); });
  addEventListener('popstate', () => { start(); show(true); });
  const start = () => {
    read();
    input.value = state.get('q') ?? '';
    search();
    theme();
    scale();
  };
  start();
  show(false);
})();
