// Goes to a moment of a page of `warpwise watch`, and returns a list of sentences, one for each problem there.
async (moment) => {
  const problems = [];
  const wrong = (what) => problems.push(what);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const short = (element) => `${element.tagName.toLowerCase()}.${element.className} "${element.textContent.trim().slice(0, 40)}"`;
  const kinds = ['conflict', 'divergence', 'waste', 'collision', 'barrier', 'finding'];
  if (moment === 'start') watching.go(0);
  else if (moment === 'end') watching.go(watching.last);
  else {
    watching.go(0);
    if (document.querySelector(`[data-jump=${moment}]`).disabled) return [];
    if (watching.firstOf(moment) > 0) watching.jump(moment, true);
  }

  // Accessible: headings, names, roles, contrast. Moments differ in what is drawn; these have all of it.
  const audited = ['start', 'conflict', 'waste', 'finding'].includes(moment);
  // The rows of the list are all alike: a few are enough.
  const where = { include: [['html']], exclude: [['#list tbody tr:nth-child(n+12)']] };
  const found = audited ? await axe.run(where, { resultTypes: ['violations'] }) : { violations: [] };
  for (const violation of found.violations) wrong(`axe: ${violation.id}: ${violation.help} (${violation.nodes[0].html.slice(0, 120)})`);

  // Nothing is wider than the window, except what scrolls by itself, and no text is cut off.
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) wrong(`the page is ${document.documentElement.scrollWidth} px wide in ${width}`);
  for (const element of all('main *')) {
    if (!element.checkVisibility() || element.closest('.wide, .code, .sr, option')) continue;
    const box = element.getBoundingClientRect();
    if (box.right > width + 1 || box.left < -1) wrong(`${short(element)} reaches from ${box.left} to ${box.right} in ${width} px`);
  }
  for (const element of all('.lanes li, .strip i, button')) {
    if (element.scrollWidth > element.clientWidth + 1) wrong(`${short(element)} is cut off: ${element.scrollWidth} px in ${element.clientWidth}`);
  }

  // The controls stay together, and a code line is marked.
  if (all('.code .now').length === 0) wrong('no line is marked');
  if (kinds.includes(moment) && moment === 'conflict' && all('.strip .late').length === 0) wrong('a conflict is not shown');
  if (moment === 'finding' && all('.found:not([hidden])').length === 0) wrong('a finding is not shown');
  if (moment === 'finding') {
    for (const said of all('[data-finding]')) {
      const [record, finding] = said.dataset.finding.split(' ').map(Number);
      const { step } = watching.views[record].record.findings[finding];
      said.querySelector('button')?.click();
      if (step !== undefined && watching.state().time !== watching.views[record].record.steps[step].t) wrong('a finding does not lead to its step');
    }
  }

  // What is drawn is what was counted.
  if (moment === 'start') {
    for (const view of watching.views) {
      for (const step of view.record.steps) {
        for (const access of step.a ?? []) {
          if (access.passes !== undefined && watching.passesOf(access).length !== access.passes) wrong(`step ${step.at}: ${access.passes} passes`);
          if (access.sectors !== undefined && access.space === 'global') {
            const sectors = watching.linesOf(access).reduce((sum, [, words]) => sum + new Set([...words.keys()].map((word) => word >> 3)).size, 0);
            if (sectors !== access.sectors) wrong(`step ${step.at}: ${access.sectors} sectors, ${sectors} drawn`);
          }
        }
      }
    }
  }
  return problems;
}
