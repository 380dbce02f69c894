'use strict';
(() => {
  const records = JSON.parse(document.getElementById('warpwise-watch').textContent).records;
  const $ = (id) => document.getElementById(id);
  const make = (tag, properties = {}, children = []) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const FULL = 0xffffffff;
  const bit = (mask, lane) => (mask >>> lane) & 1;

  // Numbers of 32 lanes: `0+4x32`, `7x32`, `_x3`.
  const decode = (text) => {
    const lanes = [];
    for (const part of text.split(' ')) {
      const [, first, step, count] = part.match(/^(_|-?inf|NaN|-?[\d.]+)([+-]\d+)?(?:x(\d+))?$/);
      for (let k = 0; k < Number(count ?? 1); k += 1) {
        if (first === '_') lanes.push(null);
        else lanes.push(step ? String(BigInt(first) + BigInt(step) * BigInt(k)) : first);
      }
    }
    return lanes;
  };
  // A number that fits a cell.
  const short = (text) => {
    if (text.length <= 5) return text;
    if (/^\d+$/.test(text)) return '\u2026' + BigInt(text).toString(16).slice(-3);
    if (/^-\d+$/.test(text)) return '-\u2026' + text.slice(-2);
    const value = Number(text);
    const far = Math.abs(value) >= 1e3 || Math.abs(value) < 1e-2;
    return (far ? value.toExponential(0) : value.toPrecision(value < 0 ? 2 : 3)).replace('e+', 'e');
  };

  // How an access to shared memory goes through the banks: a list of passes, each with the lanes and the word that every
  // bank serves.
  const passesOf = (access) => {
    const at = decode(access.at);
    const unit = Math.min(Math.max(access.bytes, 4), 128);
    const together = 128 / unit;
    const passes = [];
    for (let first = 0; first < 32; first += together) {
      const banks = new Map();
      for (let lane = first; lane < first + together; lane += 1) {
        if (at[lane] === null) continue;
        const word = Math.floor(Number(at[lane]) / unit);
        const bank = word % together;
        if (!banks.has(bank)) banks.set(bank, new Map());
        const words = banks.get(bank);
        if (!words.has(word)) words.set(word, []);
        words.get(word).push(lane);
      }
      const depth = Math.max(0, ...[...banks.values()].map((words) => words.size));
      for (let k = 0; k < depth; k += 1) {
        const cells = new Map();
        for (const [bank, words] of banks) {
          const entry = [...words][k];
          if (!entry) continue;
          for (let part = 0; part < unit / 4; part += 1) {
            cells.set(bank * (unit / 4) + part, { lanes: entry[1], word: entry[0] * (unit / 4) + part });
          }
        }
        passes.push({ cells, late: k > 0 });
      }
    }
    return passes;
  };

  // The 128-byte lines that an access touches: the words that lanes ask for, and the sectors that are moved.
  const linesOf = (access) => {
    const lines = new Map();
    decode(access.at).forEach((text, lane) => {
      if (text === null) return;
      const start = BigInt(text);
      for (let byte = 0; byte < Math.max(access.bytes, 1); byte += 4) {
        const at = start + BigInt(byte);
        const line = at / 128n;
        if (!lines.has(line)) lines.set(line, new Map());
        const word = Number((at % 128n) / 4n);
        const words = lines.get(line);
        if (!words.has(word)) words.set(word, []);
        words.get(word).push(lane);
      }
    });
    return [...lines].sort((a, b) => (a[0] < b[0] ? -1 : 1));
  };

  const KINDS = {
    conflict: (step) => (step.a ?? []).some((a) => a.conflicts > 0),
    divergence: (step) => step.div === true,
    waste: (step) => (step.a ?? []).some((a) => a.asked > 0 && a.sectors * 32 >= 2 * a.asked && a.sectors > 1),
    collision: (step) => (step.a ?? []).some((a) => a.meeting > 0),
    barrier: (step) => step.bar !== undefined,
    finding: (step) => (step.f ?? []).length > 0,
  };
  const paint = (step) => {
    if (KINDS.finding(step)) return 'found';
    if (KINDS.conflict(step) || KINDS.collision(step)) return 'conflict';
    if (KINDS.divergence(step)) return 'diverge';
    if (KINDS.waste(step)) return 'waste';
    if (KINDS.barrier(step)) return 'barrier';
    return (step.a ?? []).some((a) => a.space === 'global' || a.space === 'shared') ? 'memory' : 'run';
  };
  const PAINTS = [
    ['run', 'computes'], ['memory', 'memory'], ['conflict', 'conflict or collision'], ['waste', 'moves more than it uses'],
    ['diverge', 'diverges'], ['barrier', 'arrives at a barrier'], ['wait', 'waits'], ['found', 'a finding'],
    ['gone', 'has ended'],
  ];
  const STATES = [
    ['off', 'off', 'the guard is off'], ['other', 'else', 'goes another way from a branch'],
    ['met', 'met', 'waits where the ways meet'], ['wait', 'wait', 'waits for others'], ['gone', 'end', 'has ended'],
  ];

  let time = 0;
  let playing = false;
  let speed = 5;
  const last = Math.max(...records.map((record) => record.steps.at(-1)?.t ?? 0));

  class View {
    constructor(record, number) {
      this.record = record;
      this.number = number;
      this.warp = 0;
      this.byWarp = record.warps.map(() => []);
      record.steps.forEach((step, at) => { step.at = at; this.byWarp[step.w].push(step); });
      this.build();
    }

    build() {
      const { record, number } = this;
      const name = (what) => (records.length > 1 ? `${what} of kernel ${number + 1}` : what);
      this.at = make('p', { className: 'at' });
      this.say = make('p', { className: 'say' });
      this.found = make('div', { className: 'found', hidden: true });
      this.pick = make('select', { ariaLabel: name('Warp') });
      record.warps.forEach((warp, at) => {
        const several = record.warps.some((other) => String(other.block) !== String(warp.block));
        this.pick.append(make('option', { value: at, textContent: several ? `block ${warp.block}, warp ${warp.warp}` : `warp ${warp.warp}` }));
      });
      this.pick.onchange = () => { this.warp = Number(this.pick.value); render(); };
      this.register = make('select', { ariaLabel: name('Register in the lanes') });
      this.register.append(make('option', { value: '', textContent: 'what the step computes' }));
      for (const register of new Set(record.instructions.flatMap((i) => i.results ?? []))) {
        this.register.append(make('option', { value: register, textContent: register }));
      }
      this.register.onchange = render;
      this.cells = Array.from({ length: 32 }, (_, lane) => {
        const value = make('span');
        return { item: make('li', {}, [make('b', { textContent: lane }), value]), value, text: '', state: '' };
      });
      this.lanes = make('ol', { className: 'lanes', ariaLabel: name('Lanes') }, this.cells.map((cell) => cell.item));
      this.memory = make('div', { className: 'memory' });
      this.canvas = make('canvas', { height: 10 });
      this.canvas.setAttribute('role', 'img');
      this.canvas.onclick = (event) => this.clicked(event);
      const swatch = (colour) => make('span', { className: 'swatch', style: `background: ${colour}` });
      const legend = (entries) => make('ul', { className: 'legend' }, entries);
      const states = STATES.map(([, word, why]) => make('li', { textContent: `${word}: ${why}` }));
      const paints = PAINTS.map(([paint, words]) => make('li', {}, [swatch(`var(--t-${paint})`), words]));
      const part = (title, ...inside) => [make('h3', { textContent: title }), ...inside];
      const left = make('div', {}, [
        ...part('The 32 lanes of the warp', this.lanes, legend(states)),
        make('p', { className: 'aside' }, [make('label', {}, ['Lanes show: ', this.register])]),
        ...part('Memory', this.memory),
        ...part('All warps over time', this.canvas, legend(paints)),
      ]);
      this.lines = new Map();
      this.instructions = [];
      const right = make('div', {}, this.code(part, name));
      const title = records.length > 1 ? [make('h2', { textContent: record.title })] : [make('h2', { textContent: 'Now' })];
      const header = make('header', {}, [...title, make('p', {}, [this.pick]), this.at, this.say, this.found]);
      this.root = make('section', { className: 'view', ariaLabel: record.title }, [header, left, right]);
    }

    code(part, name) {
      const region = (label, lines) => {
        const box = make('div', { className: 'code', tabIndex: 0, ariaLabel: name(label) }, lines);
        box.setAttribute('role', 'region');
        const place = { height: 0, top: 0 };
        box.addEventListener('scroll', () => { place.top = box.scrollTop; }, { passive: true });
        this.boxes.set(box, place);
        return box;
      };
      const line = (number, text) => make('div', {}, [make('span', { textContent: number }), text || ' ']);
      const parts = [];
      this.boxes = new Map();
      this.record.sources.forEach((source, at) => {
        const lines = source.lines.map((text, k) => line(source.first + k, text));
        lines.forEach((element, k) => this.lines.set(`${at}:${source.first + k}`, element));
        parts.push(...part(source.name, region(source.name, lines)));
      });
      this.instructions = this.record.instructions.map((i) => line(i.ptx_line, i.ptx));
      parts.push(...part('PTX, the instructions of these warps', region('PTX', this.instructions)));
      return parts;
    }

    // The step of a warp at a time: its last one that is not later.
    step(warp, at = time) {
      const steps = this.byWarp[warp];
      let [low, high] = [0, steps.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (steps[middle].t <= at) low = middle + 1; else high = middle;
      }
      return { step: steps[low - 1], next: steps[low], at: low - 1 };
    }

    // What a register holds in each lane at the time.
    held(register) {
      const values = Array(32).fill(null);
      for (const step of this.byWarp[this.warp]) {
        if (step.t > time) break;
        const at = (this.record.instructions[step.i].results ?? []).indexOf(register);
        if (at < 0 || !step.v?.[at]) continue;
        decode(step.v[at]).forEach((value, lane) => { if (value !== null) values[lane] = value; });
      }
      return values;
    }

    render() {
      const { record } = this;
      const warp = record.warps[this.warp];
      const { step, next } = this.step(this.warp);
      this.pick.value = this.warp;
      const running = step && step.t === time;
      const where = `Warp ${warp.warp} of block ${warp.block.join(', ')}`;
      const instruction = step && record.instructions[step.i];
      const line = instruction?.line ? `, line ${instruction.line}` : '';
      let said;
      if (running) said = [`${where}${line}: ${instruction.ptx}`, record.sentences[step.s]];
      else if (!step) said = [`${where} has not started`, ''];
      else if (next) said = [`${where} waits${line}: ${instruction.ptx}`, 'It waits at a barrier until the last warp has arrived.'];
      else if (warp.left_out) said = [`${where}: not recorded from here on`, `${warp.left_out} more steps are not in this record.`];
      else said = [`${where} has ended`, 'All its lanes have come to the end of the kernel.'];
      this.at.textContent = said[0];
      this.say.textContent = said[1];
      this.findings(running ? step : undefined);
      this.renderLanes(step, running, next);
      this.renderMemory(running ? step : undefined);
      this.mark(step, instruction);
      this.draw();
    }

    findings(step) {
      const all = (step?.f ?? []).map((number) => this.record.findings[number]);
      this.found.hidden = all.length === 0;
      this.found.replaceChildren(...all.map((found) => {
        const text = make('p', { textContent: [`${found.kind}: ${found.message}`, found.advice].filter(Boolean).map((part) => `${part.replace(/[.]$/, '')}. `).join('') });
        const go = (label, at) => make('button', { textContent: label, onclick: () => this.jumpTo(this.record.steps[at]) });
        const buttons = [];
        if (found.step !== undefined && found.step !== step.at) buttons.push(go('Show the access at fault', found.step));
        if (found.other_step !== undefined && found.other_step !== step.at) buttons.push(go('Show the other access', found.other_step));
        return make('div', {}, [text, ...buttons]);
      }));
    }

    jumpTo(step) {
      this.warp = step.w;
      time = step.t;
      render();
    }

    // The lanes that the findings of a step are about.
    lanesAtFault(step) {
      const [width, height] = this.record.block;
      const lane = (thread) => (thread ? (thread[0] + width * (thread[1] + height * thread[2])) % 32 : -1);
      const all = (step?.f ?? []).map((number) => this.record.findings[number]);
      return new Set(all.map((found) => lane(found.step === step.at ? found.thread : found.other_thread)));
    }

    renderLanes(step, running, next) {
      const hot = this.lanesAtFault(running ? step : undefined);
      const chosen = this.register.value;
      const values = chosen ? this.held(chosen) : running && step.v?.[0] ? decode(step.v[0]) : [];
      this.cells.forEach((cell, lane) => {
        let [state, word] = ['idle', ''];
        if (!step) word = '';
        else if (!running && next) word = bit(step.gone ?? 0, lane) ? 'end' : 'wait';
        else if (!running) word = 'end';
        else if (bit(step.on ?? FULL, lane)) state = 'on';
        else word = STATES.find(([mask]) => bit(step[mask] ?? 0, lane))?.[1] ?? '';
        if (hot.has(lane)) state += ' hot';
        const value = values[lane] ?? null;
        const text = value !== null && (word === '' || chosen) ? short(value) : word;
        if (cell.text !== text) { cell.value.textContent = text || '\u00a0'; cell.item.title = value ?? word; cell.text = text; }
        if (cell.state !== state) { cell.item.className = state; cell.state = state; }
      });
    }

    renderMemory(step) {
      const rows = [];
      for (const access of step?.a ?? []) {
        if (access.passes !== undefined) rows.push(...this.banks(access));
        else if (access.space === 'global' || access.meeting !== undefined) rows.push(...this.sectors(access));
        else rows.push(make('p', { className: 'aside', textContent: `${access.kind} of ${access.space} memory, ${access.bytes} bytes a lane` }));
      }
      if (rows.length === 0) rows.push(make('p', { className: 'aside', textContent: 'This step does not touch memory.' }));
      this.memory.replaceChildren(...rows);
    }

    strip(label, cell, className = 'strip') {
      const strip = make('div', { className });
      for (let k = 0; k < 32; k += 1) {
        const { text = '', kind = '', title = '' } = cell(k) ?? {};
        strip.append(make('i', { className: kind, title, textContent: text }));
      }
      return make('div', { className: 'row' }, [make('span', { textContent: label }), strip]);
    }

    // The numbers of banks, or of words in a line, above the strips.
    numbers(label) {
      return this.strip(label, (number) => ({ text: number }), 'strip numbers');
    }

    banks(access) {
      const passes = passesOf(access);
      const title = `Shared memory, ${access.kind}: the 32 banks, and in each pass the lane that each bank serves. ` +
        `${passes.length} ${passes.length === 1 ? 'pass' : 'passes one after another'}` +
        (access.conflicts ? `, ${access.conflicts} of them only because of conflicts (orange).` : '.');
      return [make('p', { className: 'aside', textContent: title }), this.numbers('bank'), ...passes.map((pass, number) => this.strip(`pass ${number + 1}`, (bank) => {
        const hit = pass.cells.get(bank);
        if (!hit) return undefined;
        const many = hit.lanes.length > 1 ? '+' : '';
        return { text: `${hit.lanes[0]}${many}`, kind: pass.late ? 'late' : 'hit', title: `bank ${bank}, word ${hit.word}, lanes ${hit.lanes.join(', ')}` };
      }))];
    }

    sectors(access) {
      const lines = linesOf(access);
      const atomic = access.meeting !== undefined;
      const title = atomic
        ? `Atomics on ${access.space} memory, words of 128-byte lines: how many lanes meet at each (orange: more than one).`
        : `Global memory, ${access.kind}: 128-byte lines of 4 sectors, with the lane that asks for each word. ` +
          `${access.sectors} sectors are moved; grey words are moved and not asked for.`;
      const first = lines[0]?.[0] ?? 0n;
      return [make('p', { className: 'aside', textContent: title }), this.numbers('word'), ...lines.map(([line, words]) => {
        const moved = new Set([...words.keys()].map((word) => word >> 3));
        return this.strip(`+${(line - first) * 128n} B`, (word) => {
          const hit = words.get(word);
          if (!hit) return { kind: moved.has(word >> 3) && !atomic ? 'moved' : '' };
          const many = hit.length > 1;
          const text = many ? (atomic ? `\u00d7${hit.length}` : `${hit[0]}+`) : `${hit[0]}`;
          return { text, kind: many && atomic ? 'late' : 'hit', title: `lanes ${hit.join(', ')}` };
        });
      })];
    }

    // Sizes are read once, not at every step: to ask for one in between makes the browser lay out the page again.
    measure() {
      this.width = this.canvas.clientWidth || 600;
      const lines = [...this.lines.values(), ...this.instructions];
      this.tops = new Map(lines.map((line) => [line, line.offsetTop]));
      for (const [element, box] of this.boxes) Object.assign(box, { height: element.clientHeight, top: element.scrollTop });
    }

    mark(step, instruction) {
      const now = [this.lines.get(`${instruction?.source}:${instruction?.line}`), step && this.instructions[step.i]];
      for (const element of this.marked ?? []) element?.classList.remove('now');
      for (const element of now) {
        if (!element) continue;
        element.classList.add('now');
        const box = this.boxes.get(element.parentElement);
        const top = this.tops.get(element);
        if (top < box.top + 20 || top > box.top + box.height - 50) {
          box.top = Math.max(0, top - box.height / 2);
          element.parentElement.scrollTop = box.top;
        }
      }
      this.marked = now;
    }

    // The timeline of all warps, drawn once, a dot for each warp and time.
    sheet() {
      const style = getComputedStyle(document.documentElement);
      const colours = Object.fromEntries(PAINTS.map(([paint]) => [paint, style.getPropertyValue(`--t-${paint}`)]));
      const sheet = make('canvas', { width: Math.min(last + 1, 32000), height: this.byWarp.length });
      const context = sheet.getContext('2d');
      this.byWarp.forEach((steps, warp) => steps.forEach((step, k) => {
        context.fillStyle = colours[paint(step)];
        context.fillRect(step.t, warp, 1, 1);
        const until = steps[k + 1]?.t ?? step.t + 1;
        context.fillStyle = colours.wait;
        if (until > step.t + 1) context.fillRect(step.t + 1, warp, until - step.t - 1, 1);
      }));
      this.drawn = sheet;
      this.ink = style.getPropertyValue('--text');
    }

    draw() {
      if (!this.drawn) this.sheet();
      const rows = this.byWarp.length;
      const row = Math.max(4, Math.min(16, Math.floor(260 / rows)));
      const { width } = this;
      if (this.canvas.width !== width || this.canvas.height !== rows * row) {
        Object.assign(this.canvas, { width, height: rows * row });
        this.canvas.style.height = `${rows * row}px`;
      }
      const context = this.canvas.getContext('2d');
      const column = Math.max(2, Math.min(8, width / (last + 1)));
      const shown = width / column;
      this.from = Math.max(0, Math.min(time - shown / 2, last + 1 - shown));
      this.column = column;
      this.row = row;
      context.imageSmoothingEnabled = false;
      context.clearRect(0, 0, width, rows * row);
      context.drawImage(this.drawn, this.from, 0, shown, rows, 0, 0, width, rows * row);
      context.strokeStyle = this.ink;
      context.lineWidth = 2;
      context.strokeRect((time - this.from) * column, this.warp * row, column, row);
      context.lineWidth = 1;
      context.strokeRect((time - this.from) * column - 0.5, 0, column + 1, rows * row);
      this.canvas.setAttribute('aria-label', `Timeline of ${rows} warps, at time ${time} of ${last}`);
    }

    clicked(event) {
      const box = this.canvas.getBoundingClientRect();
      time = Math.max(0, Math.min(last, Math.floor(this.from + (event.clientX - box.left) / this.column)));
      this.warp = Math.max(0, Math.min(this.byWarp.length - 1, Math.floor((event.clientY - box.top) / this.row)));
      render();
    }
  }

  const app = $('app');
  app.hidden = false;
  $('list').open = false;
  const views = records.map((record, number) => new View(record, number));
  $('views').append(...views.map((view) => view.root));
  $('views').classList.toggle('two', views.length > 1);
  $('time').max = last;

  function render() {
    $('time').value = time;
    $('clock').textContent = `time ${time} of ${last}`;
    $('play').firstChild.textContent = playing ? 'Pause' : 'Play';
    views.forEach((view) => view.render());
    const spoken = views.map((view) => `${view.at.textContent}. ${view.say.textContent}`).join(' ');
    if (!playing) $('spoken').textContent = spoken;
  }

  const go = (to) => { time = Math.max(0, Math.min(last, to)); render(); };
  const jump = (kind, forward) => {
    let best;
    for (const view of views) {
      for (const step of view.record.steps) {
        const beyond = forward ? step.t > time : step.t < time;
        if (!beyond || !KINDS[kind](step)) continue;
        const better = !best || (forward ? step.t < best.step.t : step.t >= best.step.t);
        const mine = best && step.t === best.step.t && view === best.view && step.w === view.warp;
        if (better || mine) best = { step, view };
        if (forward && step.t > best.step.t) break;
      }
    }
    if (best) best.view.jumpTo(best.step);
    else $('spoken').textContent = `There is no ${forward ? 'later' : 'earlier'} one.`;
  };
  const turn = (by) => { for (const view of views) view.warp = Math.max(0, Math.min(view.byWarp.length - 1, view.warp + by)); render(); };

  let due = 0;
  const frame = (now) => {
    if (!playing) return;
    if (now >= due) {
      due = Math.max(due + 1000 / speed, now - 1000 / speed);
      if (time >= last) playing = false;
      go(time + 1);
    }
    requestAnimationFrame(frame);
  };
  const play = () => {
    playing = !playing;
    if (playing && time >= last) time = 0;
    due = performance.now();
    render();
    if (playing) requestAnimationFrame(frame);
  };
  const SPEEDS = [1, 2, 5, 15, 30, 60];
  const pace = (by) => {
    speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(speed) + by))];
    $('speed').value = speed;
  };

  $('first').onclick = () => go(0);
  $('back').onclick = () => go(time - 1);
  $('play').onclick = play;
  $('step').onclick = () => go(time + 1);
  $('end').onclick = () => go(last);
  $('time').oninput = () => go(Number($('time').value));
  $('speed').onchange = () => { speed = Number($('speed').value); };
  for (const button of document.querySelectorAll('[data-jump]')) {
    const kind = button.dataset.jump;
    const count = records.reduce((sum, record) => sum + record.steps.filter(KINDS[kind]).length, 0);
    button.querySelector('.count').textContent = count;
    button.disabled = count === 0;
    button.onclick = () => jump(kind, true);
  }
  for (const said of document.querySelectorAll('[data-finding]')) {
    const [record, finding] = said.dataset.finding.split(' ').map(Number);
    const view = views[record];
    const step = view.record.steps[view.record.findings[finding].step];
    if (step) said.append(make('button', { textContent: 'Show it', onclick: () => view.jumpTo(step) }));
  }

  const KEYS = {
    ArrowRight: () => go(time + 1), ArrowLeft: () => go(time - 1), ArrowDown: () => turn(1), ArrowUp: () => turn(-1),
    Home: () => go(0), End: () => go(last), ' ': play, '+': () => pace(1), '-': () => pace(-1),
    c: () => jump('conflict', true), C: () => jump('conflict', false), d: () => jump('divergence', true), D: () => jump('divergence', false),
    m: () => jump('waste', true), M: () => jump('waste', false), a: () => jump('collision', true), A: () => jump('collision', false),
    b: () => jump('barrier', true), B: () => jump('barrier', false), f: () => jump('finding', true), F: () => jump('finding', false),
    r: () => jump('finding', true), R: () => jump('finding', false),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = KEYS[event.key];
    const inside = event.target.closest('select, summary, .code, .wide') || (event.key === ' ' && event.target.closest('button'));
    if (!action || (inside && !/^[a-z]$/i.test(event.key)) || event.target.closest('select')) return;
    event.preventDefault();
    action();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { views.forEach((view) => view.sheet()); render(); });
  addEventListener('resize', () => views.forEach((view) => { view.measure(); view.draw(); }));
  const times = (kind) => records.flatMap((record) => record.steps.filter(KINDS[kind]).map((step) => step.t));
  const firstOf = (kind) => Math.min(...times(kind));
  const lastOf = (kind) => Math.max(...times(kind));
  window.watching = { go, jump, firstOf, lastOf, views, passesOf, linesOf, last, state: () => ({ time, playing, speed, warps: views.map((view) => view.warp) }) };
  views.forEach((view) => view.measure());
  render();
})();
