// Draws what chart-data describes. Every number is in the page's tables too.
(() => {
  "use strict";
  const specs = JSON.parse(document.getElementById("chart-data").textContent);
  const root = document.documentElement;
  const narrow = matchMedia("(max-width: 40rem)");
  const charts = [];

  const color = name => getComputedStyle(root).getPropertyValue("--" + name).trim();
  const translucent = (base, alpha) => base + Math.round(alpha * 255).toString(16).padStart(2, "0");
  const dashes = s => s.pipelined ? (s.admission ? [7, 3, 2, 3] : [2, 3]) : (s.admission ? [7, 4] : []);
  const shape = s => s.pipelined ? (s.admission ? "star" : "triangle") : (s.admission ? "rectRot" : "circle");

  function number(value) {
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size >= 99.95) return Math.round(value).toLocaleString("en-US");
    if (Number.isInteger(value)) return String(value);
    if (size >= 9.995) return value.toFixed(1);
    return String(Number(value.toPrecision(3)));
  }

  // Areas: admission is hatched, pipelined dotted, on a lighter ground of the same colour.
  function area(context, s) {
    const base = color(s.color);
    if (!s.admission && !s.pipelined) return base;
    const side = 10, tile = document.createElement("canvas");
    tile.width = tile.height = side * 2;
    const pen = tile.getContext("2d");
    pen.scale(2, 2);
    pen.fillStyle = translucent(base, s.admission ? 0.3 : 0.55);
    pen.fillRect(0, 0, side, side);
    pen.strokeStyle = pen.fillStyle = base;
    if (s.admission) {
      pen.lineWidth = 2.6;
      for (const shift of [-side, 0, side]) {
        pen.beginPath(); pen.moveTo(shift, side); pen.lineTo(shift + side, 0); pen.stroke();
      }
    }
    if (s.pipelined) {
      for (const [x, y] of [[2.5, 2.5], [7.5, 7.5]]) {
        pen.beginPath(); pen.arc(x, y, 1.7, 0, 7); pen.fill();
      }
    }
    const pattern = context.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix().scale(0.5));
    return pattern;
  }

  // Least to most of any round: a band around a line, a whisker on a bar.
  const spread = {
    id: "spread",
    beforeDatasetsDraw(chart) {
      if (chart.$spec.kind !== "LINES") return;
      const pen = chart.ctx;
      clipped(chart, () => chart.data.datasets.forEach((set, i) => {
        if (!chart.isDatasetVisible(i) || !set.$s.low.length) return;
        const points = chart.getDatasetMeta(i).data, y = chart.scales.y;
        const known = points.map((_, k) => k).filter(k => set.$s.low[k] != null);
        if (known.length < 2) return;
        pen.beginPath();
        known.forEach((k, n) => pen[n ? "lineTo" : "moveTo"](points[k].x, y.getPixelForValue(set.$s.high[k])));
        known.reverse().forEach(k => pen.lineTo(points[k].x, y.getPixelForValue(set.$s.low[k])));
        pen.closePath();
        pen.fillStyle = translucent(color(set.$s.color), 0.14);
        pen.fill();
      }));
    },
    afterDatasetsDraw(chart) {
      const kind = chart.$spec.kind, pen = chart.ctx;
      if (kind !== "BARS" && kind !== "GROUPS") return;
      pen.save();
      pen.strokeStyle = color("ink");
      pen.lineWidth = 1.3;
      chart.data.datasets.forEach((set, i) => {
        if (!chart.isDatasetVisible(i)) return;
        chart.getDatasetMeta(i).data.forEach((bar, k) => {
          const [low, high] = kind === "BARS" ? [set.$low[k], set.$high[k]] : [set.$s.low[k], set.$s.high[k]];
          if (low == null || high == null || low === high) return;
          pen.beginPath();
          if (kind === "BARS") {
            const a = chart.scales.x.getPixelForValue(low), b = chart.scales.x.getPixelForValue(high), cap = 4;
            pen.moveTo(a, bar.y - cap); pen.lineTo(a, bar.y + cap);
            pen.moveTo(a, bar.y); pen.lineTo(b, bar.y);
            pen.moveTo(b, bar.y - cap); pen.lineTo(b, bar.y + cap);
          } else {
            const a = chart.scales.y.getPixelForValue(low), b = chart.scales.y.getPixelForValue(high);
            const cap = Math.min(3, bar.width / 2);
            pen.moveTo(bar.x - cap, a); pen.lineTo(bar.x + cap, a);
            pen.moveTo(bar.x, a); pen.lineTo(bar.x, b);
            pen.moveTo(bar.x - cap, b); pen.lineTo(bar.x + cap, b);
          }
          pen.stroke();
        });
      });
      pen.restore();
    }
  };

  // What stands beside a bar, or in a part of one.
  const words = {
    id: "words",
    afterDatasetsDraw(chart) {
      const kind = chart.$spec.kind, pen = chart.ctx;
      if (kind !== "BARS" && kind !== "STACKS") return;
      pen.save();
      pen.font = "12px " + Chart.defaults.font.family;
      pen.textBaseline = "middle";
      chart.data.datasets.forEach((set, i) => {
        if (!chart.isDatasetVisible(i)) return;
        chart.getDatasetMeta(i).data.forEach((bar, k) => {
          const value = set.data[k];
          if (value == null) return;
          if (kind === "BARS") {
            const end = Math.max(bar.x, set.$high[k] == null ? 0 : chart.scales.x.getPixelForValue(set.$high[k]));
            pen.fillStyle = color("ink");
            pen.fillText(set.$words[k], end + 7, bar.y);
          } else {
            const text = set.label.slice(set.label.indexOf(":") + 1), width = bar.x - bar.base;
            if (pen.measureText(text).width + 10 > width) return;
            pen.fillStyle = onTop(color(set.$s.color));
            pen.fillText(text, bar.base + 5, bar.y);
          }
        });
      });
      pen.restore();
    }
  };

  // Where the baseline is.
  const reference = {
    id: "reference",
    afterDatasetsDraw(chart) {
      const value = chart.$spec.reference;
      if (value == null) return;
      const across = chart.$spec.kind === "BARS", pen = chart.ctx, frame = chart.chartArea;
      const at = chart.scales[across ? "x" : "y"].getPixelForValue(value);
      pen.save();
      pen.strokeStyle = color("soft");
      pen.setLineDash([4, 4]);
      pen.beginPath();
      if (across) { pen.moveTo(at, frame.top); pen.lineTo(at, frame.bottom); }
      else { pen.moveTo(frame.left, at); pen.lineTo(frame.right, at); }
      pen.stroke();
      pen.restore();
    }
  };

  function clipped(chart, draw) {
    const { left, top, width, height } = chart.chartArea;
    chart.ctx.save();
    chart.ctx.beginPath();
    chart.ctx.rect(left, top, width, height);
    chart.ctx.clip();
    draw();
    chart.ctx.restore();
  }

  function onTop(background) {
    const [r, g, b] = [1, 3, 5].map(i => parseInt(background.slice(i, i + 2), 16));
    return r * 0.299 + g * 0.587 + b * 0.114 > 140 ? "#10151b" : "#ffffff";
  }

  function datasets(spec, context) {
    switch (spec.kind) {
      case "BARS": {
        const one = pick => spec.series.map(pick);
        return [{
          label: spec.yTitle, data: one(s => s.values[0]), backgroundColor: one(s => area(context, s)),
          borderColor: one(s => color(s.color)), borderWidth: 1, barPercentage: 0.95, categoryPercentage: 0.72,
          $low: one(s => s.low[0]), $high: one(s => s.high[0]),
          $words: one(s => s.values[0] == null ? "" : spec.yTitle.includes("ratio to") ? s.notes[0]
            : number(s.values[0]) + (s.notes[0] ? " · " + s.notes[0] : ""))
        }];
      }
      case "STACKS":
        return spec.series.map(s => ({
          label: s.name, data: s.values, backgroundColor: color(s.color), borderColor: color("ground"),
          borderWidth: { right: 1 }, barPercentage: 0.95, categoryPercentage: 0.72, $s: s
        }));
      case "GROUPS":
        return spec.series.map(s => ({
          label: s.name, data: s.values, backgroundColor: area(context, s), borderColor: color(s.color),
          borderWidth: 1, $s: s
        }));
      default:
        return spec.series.map(s => ({
          label: s.name, data: spec.xs ? spec.xs.map((x, i) => ({ x, y: s.values[i] ?? null })) : s.values,
          borderColor: color(s.color), backgroundColor: color(s.color), borderWidth: 2.2, borderDash: dashes(s),
          pointStyle: shape(s), pointRadius: s.values.length > 24 ? 0 : 4, pointHoverRadius: 6, pointBorderWidth: 1.5,
          spanGaps: true, clip: 8, $s: s
        }));
    }
  }

  function scales(spec) {
    const across = spec.kind === "BARS" || spec.kind === "STACKS";
    const base = () => ({
      grid: { color: color("line") }, border: { color: color("line") },
      ticks: { color: color("soft"), font: { size: 12 } }
    });
    const values = base(), places = base();
    values.title = { display: true, text: spec.yTitle, color: color("soft"), font: { size: 12 } };
    values.beginAtZero = true;
    values.ticks.callback = value => number(value);
    values.ticks.maxTicksLimit = across ? (narrow.matches ? 4 : 6) : 7;
    if (spec.log) {
      values.type = "logarithmic";
      // Whole powers and what lies a third and two thirds between.
      values.afterBuildTicks = scale => {
        scale.ticks = scale.ticks.filter(tick => /^[125]/.test(Number(tick.value).toExponential()));
        if (scale.ticks.length > 9) scale.ticks = scale.ticks.filter(tick => /^1e/.test(Number(tick.value).toExponential()));
      };
    }
    if (spec.kind === "BARS") {
      const most = Math.max(spec.max ?? 0, spec.reference ?? 0, ...spec.series.map(s => Math.max(s.high[0] ?? 0, s.values[0] ?? 0)));
      // Room for the words behind the longest bar.
      if (most > 0) values.max = most * (narrow.matches ? 1.75 : 1.4);
      values.ticks.callback = value => value > most * 1.1 ? "" : number(value);
    }
    if (spec.xTitle) places.title = { display: true, text: spec.xTitle, color: color("soft"), font: { size: 12 } };
    if (spec.kind === "STACKS") values.stacked = places.stacked = true;
    if (across) { places.grid.display = false; places.ticks.color = color("ink"); places.ticks.autoSkip = false; }
    if (spec.xs) {
      const least = Math.min(...spec.xs), most = Math.max(...spec.xs);
      const logarithmic = least > 0 && most / least >= 20 && spec.xs.length < 24;
      places.type = logarithmic ? "logarithmic" : "linear";
      places.min = least; places.max = most;
      if (spec.xs.length < 24) {
        // A tick per point, as far as their labels fit beside each other; the last one always.
        const at = value => logarithmic ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least || 1);
        places.afterBuildTicks = scale => {
          let next = Infinity;
          scale.ticks = [...spec.xs].sort((a, b) => b - a).filter(value => {
            const x = at(value) * (scale.chart.width - 60);
            if (next - x < 30) return false;
            next = x;
            return true;
          }).reverse().map(value => ({ value }));
        };
      }
      places.ticks.callback = value => number(value);
      places.grid.drawTicks = true;
    }
    return across ? { x: values, y: places } : { x: places, y: values };
  }

  function tooltip(spec) {
    return {
      callbacks: {
        title: items => {
          const label = spec.labels[items[0].dataIndex];
          return label.join(" ") + (spec.xTitle && spec.kind !== "STACKS" ? " " + spec.xTitle : "");
        },
        label: item => {
          const s = spec.kind === "BARS" ? spec.series[item.dataIndex] : item.dataset.$s;
          const k = spec.kind === "BARS" ? 0 : item.dataIndex;
          const range = s.low.length && s.low[k] !== s.high[k] ? " (" + number(s.low[k]) + " to " + number(s.high[k]) + ")" : "";
          const note = s.notes[k] && !spec.yTitle.includes("ratio to") ? ", ratio " + s.notes[k] : "";
          return s.name + ": " + number(s.values[k]) + range + note;
        }
      }
    };
  }

  function draw(spec) {
    const canvas = document.getElementById(spec.id), context = canvas.getContext("2d");
    const across = spec.kind === "BARS" || spec.kind === "STACKS";
    const chart = new Chart(context, {
      type: spec.kind === "LINES" ? "line" : "bar",
      data: { labels: spec.labels.map(lines => lines.length > 1 ? lines : lines[0]), datasets: datasets(spec, context) },
      options: {
        responsive: true, maintainAspectRatio: false, animation: false, indexAxis: across ? "y" : "x",
        interaction: { mode: "nearest", axis: "xy", intersect: false },
        layout: { padding: { right: 12 } },
        scales: scales(spec),
        plugins: { legend: { display: false }, tooltip: tooltip(spec) }
      },
      plugins: [{ id: "spec", beforeInit(made) { made.$spec = spec; } }, spread, reference, words]
    });
    charts.push({ chart, spec, context });
  }

  function redraw() {
    for (const { chart, spec, context } of charts) {
      const visible = chart.data.datasets.map((_, i) => chart.isDatasetVisible(i));
      chart.data.datasets = datasets(spec, context);
      chart.options.scales = scales(spec);
      visible.forEach((shown, i) => chart.setDatasetVisibility(i, shown));
      chart.update("none");
    }
  }

  for (const button of document.querySelectorAll(".legend button")) {
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      const ids = new Set([...button.closest("figure").querySelectorAll("canvas")].map(canvas => canvas.id));
      for (const { chart, spec } of charts.filter(made => ids.has(made.spec.id))) {
        spec.series.forEach((s, i) => { if (s.name === button.dataset.name) chart.setDatasetVisibility(i, shown); });
        chart.update("none");
      }
    });
  }

  if (matchMedia("(max-width: 64rem)").matches) document.querySelector(".contents details").open = false;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  narrow.addEventListener("change", redraw);
  addEventListener("beforeprint", () => { root.dataset.print = ""; redraw(); });
  addEventListener("afterprint", () => { delete root.dataset.print; redraw(); });
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  specs.forEach(draw);
})();
