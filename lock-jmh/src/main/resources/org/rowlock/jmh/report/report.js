'use strict';
// Draws the page from the results. Texts are set as text, never as markup.
const results = JSON.parse(document.getElementById('results').textContent);
const page = document.getElementById('page');
const color = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const waitColors = ['#4e79a7', '#e15759', '#f28e2b', '#59a14f', '#b07aa1', '#76b7b2', '#edc948', '#ff9da7', '#9c755f', '#8a8f98'];

function add(parent, tag, text, cls) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  if (cls) element.className = cls;
  parent.appendChild(element);
  return element;
}
function figure(value) {
  if (value === undefined || value === null || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  const digits = size >= 100 || value === 0 ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
const digits = value => value.toFixed(value < 100 ? 2 : 0);
const times = value => digits(value) + 'x';
const interval = ratio => digits(ratio.low) + ' to ' + digits(ratio.high);
function table(parent, head, id) {
  const whole = add(add(parent, 'div', null, 'scroll'), 'table');
  if (id) whole.id = id;
  const row = add(add(whole, 'thead'), 'tr');
  head.forEach(cell => add(row, 'th', cell));
  return add(whole, 'tbody');
}
function options(isHorizontal, log, stacked) {
  const grid = { color: color('line') };
  const ticks = { color: color('soft') };
  return {
    indexAxis: isHorizontal ? 'y' : 'x', animation: false, responsive: true, maintainAspectRatio: false,
    plugins: { legend: { display: stacked, position: 'bottom', labels: { color: color('ink'), boxWidth: 12 } } },
    scales: {
      x: { type: log ? 'logarithmic' : isHorizontal ? 'linear' : 'category', grid, ticks, stacked },
      y: { type: isHorizontal ? 'category' : 'linear', beginAtZero: true, grid: { display: false }, ticks: { color: color('ink'), autoSkip: false }, stacked },
    },
  };
}
function canvas(parent, height, label) {
  const box = add(parent, 'div', null, 'chart');
  box.style.height = height + 'px';
  const drawn = add(box, 'canvas');
  drawn.setAttribute('role', 'img');
  drawn.setAttribute('aria-label', label + '. The table has the figures.');
  return drawn;
}

// Draws dots and intervals of all comparisons on a logarithmic axis around 1.
function ratioChart(parent) {
  const rows = [];
  results.scenarios.forEach(scenario => scenario.points.forEach(point =>
    point.variants.filter(v => v.ratio).forEach(v => rows.push({
      name: v.label + (v.kind === 'CONTROL' ? ' (control)' : ''), scenario, point, ratio: v.ratio, again: point.again,
      tone: { BETTER: 'better', WORSE: 'worse', EQUIVALENT: 'even', INCONCLUSIVE: 'unclear' }[v.call] || 'soft',
    }))));
  if (rows.length === 0) return;
  const narrow = window.innerWidth < 600;
  const reach = Math.min(100, Math.max(1.25, ...rows.flatMap(r => [r.ratio.mean, 1 / r.ratio.mean,
    Math.min(r.ratio.high, 2 * r.ratio.mean), Math.min(1 / r.ratio.low, 2 / r.ratio.mean)])) * 1.08);
  const at = r => r.scenario.name + ', ' + r.point.label;
  const value = r => times(r.ratio.mean) + ' (' + interval(r.ratio) + ')';
  const whole = r => r.name + ' · ' + at(r) + '  ' + value(r);
  const labels = rows.map(r => narrow ? [...shortLines(r.name), value(r), ...shortLines(at(r))]
    : whole(r).length > 75 ? [r.name, at(r) + '  ' + value(r)] : whole(r));
  const shown = options(true, true, false);
  Object.assign(shown.scales.x, { min: 1 / reach, max: reach });
  shown.scales.x.afterBuildTicks = axis => {
    axis.ticks = [0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 0.85, 1, 1.2, 1.5, 2, 3, 5, 10, 20, 50]
      .filter(v => v >= 1 / reach && v <= reach && (reach < 3 && !narrow || ![0.7, 0.85, 1.2, 1.5].includes(v)))
      .map(value => ({ value }));
  };
  shown.scales.x.ticks = { color: color('soft'), maxRotation: 0, callback: value => value + 'x' };
  shown.scales.x.grid = { color: c => c.tick && c.tick.value === 1 ? color('ink') : color('line') };
  shown.plugins.tooltip = { callbacks: { label: c => value(rows[c.dataIndex]) + ' of ' + rows[c.dataIndex].scenario.baseline } };
  const tones = rows.map(r => color(r.tone));
  const height = rowHeight(labels);
  // The band behind each row is the ratio of the baseline to itself.
  const band = { id: 'band', beforeDatasetsDraw: ({ ctx, scales: { x, y } }) => rows.forEach((r, i) => {
    if (!r.again) return;
    const [from, to] = [r.again.low, r.again.high].map(v => x.getPixelForValue(Math.min(reach, Math.max(1 / reach, v))));
    ctx.fillStyle = color('line');
    ctx.fillRect(from, y.getPixelForValue(i) - height / 2, to - from, height);
  }) };
  const one = { id: 'one', beforeDatasetsDraw: ({ ctx, chartArea, scales: { x } }) => {
    ctx.fillStyle = color('ink');
    ctx.fillRect(x.getPixelForValue(1), chartArea.top, 1, chartArea.bottom - chartArea.top);
  } };
  new Chart(canvas(parent, 46 + rows.length * height, 'Ratios to the baseline, with their intervals'), {
    type: 'bar',
    plugins: [band, one],
    data: {
      labels,
      datasets: [
        { type: 'line', showLine: false, data: rows.map(r => r.ratio.mean), pointRadius: 5, pointBackgroundColor: tones, pointBorderColor: tones },
        { data: rows.map(r => [Math.max(r.ratio.low, 1 / reach), Math.min(r.ratio.high, reach)]), backgroundColor: tones, barThickness: 3 },
      ],
    },
    options: shown,
  });
  const legend = add(parent, 'ul', null, 'soft');
  ['A dot shows how many times as good as the baseline a variant is; right of 1 is better. The line through the dot is its'
    + ' confidence interval.',
  ...results.rules.split(/(?<=\.) (?=(?:Disturbed|Better|Equivalent|Inconclusive)\b)/),
  'Green is better, red is worse, blue is equivalent, and yellow is inconclusive. Grey is a control or disturbed.',
  'The band behind a dot is the ratio of the baseline to itself (A/A) in the same rounds.',
  'A control does less work than the other variants, and only shows an upper limit.',
  ].forEach(text => add(legend, 'li', text));
}

// On a phone, a label has several short lines.
const shortLines = text => text.match(/.{1,20}(?=\s|$)|\S+/g).map(line => line.trim());
const rowLabel = (r, many) => window.innerWidth < 600
  ? [...shortLines(r.variant.label), ...(many ? [r.point.label] : [])]
  : many ? r.variant.label + ' · ' + r.point.label : r.variant.label;
const rowHeight = rows => Math.max(24, ...rows.map(label => Array.isArray(label) ? 10 + 15 * label.length : 24));

// Draws the 99th percentile of the first latency of the scenario.
function slowestChart(parent, scenario) {
  const metric = scenario.metrics.find(m => m.key.endsWith('.p99'));
  const rows = metric ? scenario.points.flatMap(point => point.variants.map(variant => ({ point, variant })))
    .filter(row => Number.isFinite(row.variant.figures[metric.key])) : [];
  if (rows.length === 0) return;
  const many = scenario.points.length > 1;
  const shown = options(true, false, false);
  add(parent, 'p', metric.title + ', ' + metric.unit + ': one in a hundred takes longer.', 'soft');
  const labels = rows.map(r => rowLabel(r, many));
  new Chart(canvas(parent, 46 + rows.length * rowHeight(labels), metric.title + ' of each variant'), {
    type: 'bar',
    data: {
      labels,
      datasets: [{ data: rows.map(r => r.variant.figures[metric.key]), backgroundColor: color('even'), barThickness: 10 }],
    },
    options: shown,
  });
}

// An event has the same colour in all charts.
const eventColors = new Map();
function eventColor(event) {
  if (event === 'others') return '#8a8f98';
  if (!eventColors.has(event)) {
    const at = eventColors.size;
    eventColors.set(event, at < waitColors.length - 1 ? waitColors[at] : 'hsl(' + at * 67 % 360 + ' 40% 55%)');
  }
  return eventColors.get(event);
}

function waitChart(parent, scenario) {
  const rows = scenario.points.flatMap(point => point.variants.map(variant => ({ point, variant })))
    .filter(row => Object.keys(row.variant.waits).length > 0);
  if (rows.length === 0) return;
  const sums = new Map();
  rows.forEach(row => Object.entries(row.variant.waits).forEach(([k, v]) => sums.set(k, (sums.get(k) || 0) + v)));
  const top = [...sums.entries()].sort((a, b) => b[1] - a[1]).slice(0, 9).map(e => e[0]);
  const rest = waits => Object.entries(waits).filter(e => !top.includes(e[0])).reduce((s, e) => s + e[1], 0);
  const details = add(parent, 'details');
  add(details, 'summary', 'Wait events of the sessions');
  add(details, 'p', 'The average number of sessions in each wait event, from samples. CPU is a session that runs, or is ready to run.', 'soft');
  const draw = () => {
    const many = scenario.points.length > 1;
    const shown = options(true, false, true);
    const labels = rows.map(r => rowLabel(r, many));
    new Chart(canvas(details, 110 + rows.length * rowHeight(labels), 'Wait events of each variant'), {
      type: 'bar',
      data: {
        labels,
        datasets: [...top, 'others'].map(event => ({
          label: event, backgroundColor: eventColor(event),
          data: rows.map(r => event === 'others' ? rest(r.variant.waits) : r.variant.waits[event] || 0),
        })),
      },
      options: shown,
    });
  };
  // The element is open on wide screens. A chart can only be drawn in an open element, because a closed one has no size.
  details.open = window.innerWidth >= 900;
  if (details.open) draw(); else details.addEventListener('toggle', draw, { once: true });
}

// Draws the compared metric over the number of clients, if the points differ only in that number.
function clientsChart(parent, scenario) {
  const numbers = scenario.points.map(point => /^(\d+) clients?$/.exec(point.label)).map(found => found && Number(found[1]));
  if (numbers.length < 3 || numbers.some(number => !number)) return;
  const metric = scenario.metrics[0];
  const labels = [...new Set(scenario.points.flatMap(point => point.variants.map(v => v.label)))];
  const at = (point, label) => point.variants.filter(v => v.label === label).map(v => v.figures[metric.key])[0];
  const shown = options(false, false, false);
  shown.plugins.legend.display = true;
  shown.scales.x.type = 'logarithmic';
  shown.scales.x.title = { display: true, text: 'clients', color: color('soft') };
  shown.scales.x.afterBuildTicks = axis => { axis.ticks = numbers.slice().sort((a, b) => a - b).map(value => ({ value })); };
  shown.scales.x.ticks = { color: color('soft'), autoSkip: false, callback: value => value };
  shown.scales.y.title = { display: true, text: metric.title + ', ' + metric.unit, color: color('soft') };
  new Chart(canvas(parent, 340, metric.title + ' over the number of clients'), {
    type: 'line',
    data: { datasets: labels.map((label, i) => ({
      label, borderColor: waitColors[i % 10], backgroundColor: waitColors[i % 10], borderWidth: 2, pointRadius: 3,
      data: scenario.points.map((point, j) => ({ x: numbers[j], y: at(point, label) }))
        .filter(dot => Number.isFinite(dot.y)).sort((a, b) => a.x - b.x),
    })) },
    options: shown,
  });
}

function courseChart(parent, scenario) {
  const lines = scenario.points.flatMap(point => point.variants).filter(v => v.course.length > 1);
  if (lines.length === 0) return;
  const shown = options(false, false, false);
  shown.plugins.legend.display = true;
  shown.scales.y.title = { display: true, text: scenario.metrics[0].unit, color: color('soft') };
  add(parent, 'p', 'The first round, window by window.', 'soft');
  new Chart(canvas(parent, 300, 'The first round of each variant, window by window'), {
    type: 'line',
    data: {
      labels: lines[0].course.map((_, i) => i + 1),
      datasets: lines.map((v, i) => ({ label: v.label, data: v.course, borderColor: waitColors[i % 10], borderWidth: 2, pointRadius: 0 })),
    },
    options: shown,
  });
}

// Draws a table without the columns that have no value in any row.
function figures(parent, scenario) {
  const known = value => Number.isFinite(value) ? figure(value) : '';
  const waiting = waits => Object.entries(waits).filter(e => e[0].startsWith('Lock:')).reduce((s, e) => s + e[1], 0);
  const variants = scenario.points.flatMap(point => point.variants);
  const columns = [
    ['verdict', v => !v.ratio ? '' : (v.kind === 'CONTROL' ? 'control' : v.call ? v.call.toLowerCase() : 'none') + ': '
      + times(v.ratio.mean), 'text'],
    ...scenario.metrics.map(m => [m.title + (m.unit ? ', ' + m.unit : ''), v => known(v.figures[m.key])]),
    ['CPU clients', v => known(v.figures['cpu.client'])],
    ['CPU server', v => known(v.figures['cpu.server'])],
    ['CPU all, of cores', v => Number.isFinite(v.figures['cpu.machine'])
      ? figure(v.figures['cpu.machine']) + ' of ' + figure(v.figures['cpu.cores']).replace('.00', '') : ''],
    ['sessions waiting for locks', v => Object.keys(v.waits).length > 0 ? figure(waiting(v.waits)) : ''],
    ['WAL, MB/s', v => Number.isFinite(v.figures['wal.rate']) ? figure(v.figures['wal.rate'] / 1e6) : ''],
    ['limiting resource', v => v.limit === 'not known' ? '' : v.limit, 'text'],
  ].filter(column => variants.some(column[1]));
  const body = table(parent, ['', ...columns.map(column => column[0])]);
  scenario.points.forEach(point => {
    const cell = add(add(body, 'tr'), 'th');
    cell.colSpan = columns.length + 1;
    add(cell, 'span', point.label + ' · round trip ' + figure(point.roundTripMillis) + ' ms');
    point.variants.forEach(variant => {
      const row = add(body, 'tr');
      add(row, 'td', variant.label);
      columns.forEach(([, value, cls]) => add(row, 'td', value(variant) || '–', cls));
    });
  });
}

function list(parent, title, entries) {
  const rows = Object.entries(entries);
  if (rows.length === 0) return;
  add(parent, 'p', title + ': ' + rows.map(([k, v]) => k + ' ' + v).join(', '), 'soft');
}

page.replaceChildren();
add(page, 'h1', results.answer, 'answer');
if (results.failures.length > 0) {
  const box = add(page, 'div', null, 'failures');
  add(box, 'p', 'Some measurements failed, or a lock failed to exclude:');
  const items = add(box, 'ul');
  results.failures.forEach(text => add(items, 'li', text));
}
results.remarks.forEach(text => add(page, 'p', text, 'remark'));
ratioChart(page);
if (results.words) add(page, 'p', results.words, 'soft');
list(page, 'Server', results.server);
list(page, 'Clients', results.machine);
add(add(page, 'p', results.started.substring(0, 16).replace('T', ' ') + ' UTC, ' + Math.round(results.seconds / 60)
  + ' minutes, ' + results.program + ': ', 'soft'), 'code', results.command);
results.scenarios.forEach(scenario => {
  const section = add(page, 'section');
  section.id = scenario.name;
  add(section, 'h2', scenario.name + ': ' + scenario.title);
  add(section, 'p', scenario.question, 'soft');
  if (scenario.published) add(section, 'p', 'Published elsewhere: ' + scenario.published, 'soft');
  clientsChart(section, scenario);
  courseChart(section, scenario);
  slowestChart(section, scenario);
  figures(section, scenario);
  waitChart(section, scenario);
});
const settings = add(page, 'details');
add(settings, 'summary', 'Settings of the server');
list(settings, 'Settings', results.settings);
