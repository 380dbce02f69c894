// Checks the page: returns a list of sentences, one for each problem.
(async () => {
  const problems = [];
  const wrong = (what) => problems.push(what);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (element) => element.checkVisibility();
  const short = (element) => `${element.tagName.toLowerCase()} "${element.textContent.trim().slice(0, 40)}"`;

  // Results: every object with an id, anywhere.
  const data = document.getElementById('warpwise-results');
  const unpack = async (text) => {
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))).text();
  };
  const results = JSON.parse(data.type === 'application/json' ? data.textContent : await unpack(data.textContent));
  const rows = new Map();
  const visit = (value) => {
    if (value === null || typeof value !== 'object') return;
    if (typeof value.id === 'string') rows.set(value.id, value);
    Object.values(value).forEach(visit);
  };
  visit(results);

  // Links in the table of contents work; ids are unique.
  const links = all('nav a[href^="#"]');
  if (links.length < 4) wrong(`the contents have ${links.length} links`);
  for (const link of links) {
    if (!document.getElementById(link.getAttribute('href').slice(1))) wrong(`${short(link)} leads nowhere`);
  }
  const ids = all('[id]').map((element) => element.id);
  for (const id of new Set(ids)) {
    if (ids.filter((other) => other === id).length > 1) wrong(`the id ${id} is there more than once`);
  }

  // Headings in order: one first, none skipped.
  let level = 0;
  for (const heading of all('h1,h2,h3,h4,h5,h6')) {
    const now = Number(heading.tagName[1]);
    if (now > level + 1) wrong(`${short(heading)} comes after a heading of level ${level}`);
    level = now;
  }
  if (all('h1').length !== 1) wrong('there is not one h1');

  // Pictures say what they show; plots have their data.
  for (const image of all('img')) {
    if (!image.alt.trim()) wrong('a picture has no alternative text');
    if (!image.complete || image.naturalWidth === 0) wrong(`the picture "${image.alt}" cannot be shown`);
    if (!image.src.startsWith('data:')) wrong(`the picture "${image.alt}" is not in the page`);
  }
  for (const svg of all('svg')) {
    if (!svg.querySelector(':scope > title')?.textContent.trim()) wrong('a plot has no title');
    if (/NaN|Infinity|undefined/.test(svg.outerHTML)) wrong(`the plot ${svg.querySelector('title')?.textContent} has no number`);
  }
  const plots = all('figure.plot');
  if (plots.length < 3) wrong(`there are ${plots.length} plots`);
  for (const plot of plots) {
    const title = plot.querySelector('title')?.textContent;
    const named = (plot.dataset.rows ?? '').split(' ').filter(Boolean);
    if (named.length === 0) wrong(`the plot ${title} names no rows`);
    for (const id of named) if (!rows.has(id)) wrong(`the plot ${title} names ${id}, which is no row`);
    if (plot.querySelectorAll('.mark, circle').length === 0) wrong(`the plot ${title} is empty`);
    const box = plot.querySelector('svg').getBoundingClientRect();
    if (box.width < 200 || box.height < 60) wrong(`the plot ${title} is ${box.width} by ${box.height}`);
  }

  for (const text of all('svg text')) {
    const [box, frame] = [text.getBoundingClientRect(), text.closest('svg').getBoundingClientRect()];
    if (box.left < frame.left - 1 || box.right > frame.right + 1) wrong(`the label "${text.textContent}" is cut off`);
  }

  // Every number matches its row.
  const units = { ns: 1e-6, 'µs': 1e-3, ms: 1, s: 1e3 };
  const inside = (row, path) => path.split('.').reduce((part, name) => part?.[name], row);
  const field = (row, names) => names.split('+').reduce((sum, name) => sum + (row[name] ?? row.counters?.[name] ?? inside(row, name) ?? NaN), 0);
  let numbers = 0;
  for (const element of all('[data-field]')) {
    numbers += 1;
    const { row: id, device, field: name, over, per, published } = element.dataset;
    const row = device ? results.devices.find((d) => d.name === device) : rows.get(id);
    if (!row) { wrong(`${short(element)} names ${id ?? device}, which is no row`); continue; }
    let value = field(row, name);
    if (over) value = field(rows.get(over), name) / value;
    if (per) value /= field(row, per);
    if (published) value = rows.get(published).published_ms / value;
    const match = element.textContent.replace(/[\u202f\u00a0 ]/g, '').match(/^(-?[\d.]+(?:e-?\d+)?)(ns|µs|ms|s)?/);
    if (!match) { wrong(`${short(element)} is no number`); continue; }
    const text = Number(match[1]) * (match[2] ? units[match[2]] : 1);
    const digit = 10 ** -((match[1].split('e')[0].split('.')[1] ?? '').length) * 10 ** Number(match[1].split('e')[1] ?? 0);
    const close = Math.abs(text - value) <= 0.51 * digit * (match[2] ? units[match[2]] : 1) + 1e-9 * Math.abs(value);
    if (!close) wrong(`${short(element)} should be ${value} (${id ?? device} ${name})`);
  }
  if (numbers < 100) wrong(`only ${numbers} numbers name their row`);

  // Every table and plot says in words where its numbers come from.
  for (const part of all('table, figure.plot')) {
    const said = part.closest('details, section').querySelector('.badge');
    if (!said) wrong(`${short(part)} does not say where its numbers are from`);
  }

  // Nothing is wider than the window, except what scrolls by itself.
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) wrong(`the page is ${document.documentElement.scrollWidth} px wide in ${width}`);
  for (const element of all('body *')) {
    if (!shown(element) || element.closest('.wide, svg, .sr')) continue;
    const box = element.getBoundingClientRect();
    if (box.right > width + 1 || box.left < -1) wrong(`${short(element)} reaches from ${box.left} to ${box.right} in ${width} px`);
  }
  for (const box of all('.wide')) {
    const scrolls = ['auto', 'scroll'].includes(getComputedStyle(box).overflowX);
    if (!scrolls) wrong(`${short(box)} does not scroll`);
  }

  // Text is readable: a contrast of 4.5 with its background.
  const channel = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  const colour = (text) => {
    const parts = text.match(/[\d.]+/g).map(Number);
    return [...parts.slice(0, 3).map((x) => x / 255), parts[3] ?? 1];
  };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const over = (top, bottom, part) => top.slice(0, 3).map((x, i) => x * part + bottom[i] * (1 - part));
  const ground = (element) => {
    let layers = [];
    for (let at = element; at; at = at.parentElement) layers.unshift(colour(getComputedStyle(at).backgroundColor));
    return layers.reduce((under, layer) => over(layer, under, layer[3]), [1, 1, 1]);
  };
  const check = (element, under, on) => {
    const style = getComputedStyle(element);
    const paint = colour(element.closest('svg') ? style.fill : style.color);
    const [a, b] = [light(over(paint, under, paint[3])), light(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) wrong(`${short(element)} has a contrast of ${ratio.toFixed(2)} ${on}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || seen.has(element) || !shown(element)) continue;
    if (element.closest('script, style, title, desc, .sr, #tip')) continue;
    seen.add(element);
    const circle = element.tagName === 'text' && element.previousElementSibling?.tagName === 'circle' && element.hasAttribute('fill');
    if (circle) check(element, colour(getComputedStyle(element.previousElementSibling).fill).slice(0, 3), 'on its mark');
    else check(element, ground(element), 'with its ground');
    // A bar may lie under the number.
    const fill = element.classList.contains('value') && element.parentElement.querySelector('.fill');
    if (fill) {
      const style = getComputedStyle(fill);
      check(element, over(colour(style.backgroundColor), ground(element), Number(style.opacity)), 'on its bar');
    }
  }
  return { problems, numbers, plots: plots.length, images: all('img').length, texts: seen.size };
})()
