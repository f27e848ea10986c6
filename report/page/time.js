
// The plots over time. All of a protocol show one stretch, which is chosen by dragging over any of them or by two
// sliders. A click lists the packets of a column.

const whole = 10000; // how wide a plot is in its own coordinates
const tickSteps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
const tickRoom = 90; // pixels between two ticks

for (const node of document.querySelectorAll('.time')) timePlots(node);

// tickText is a time as a tick of so many seconds shows it; '' of a time that a Date cannot have.
function tickText(ns, step) {
  const date = new Date(Number(ns / 1000000n));
  if (Number.isNaN(date.getTime())) return '';
  const text = date.toISOString();
  if (step >= 86400) return text.slice(0, 10);
  return text.slice(11, step < 1 ? 23 : step < 60 ? 19 : 16);
}

function timePlots(node) {
  const start = BigInt(node.dataset.start);
  const seconds = Number(node.dataset.seconds);
  const plots = [...node.querySelectorAll('svg.bars')];
  const find = (name) => node.querySelector('.' + name);
  const [grid, fromInput, toInput, all, list, readout] = ['grid', 'brush-from', 'brush-to', 'brush-all', 'brush-list', 'readout'].map(find);
  let [from, to] = [0, whole]; // what is shown

  const timeAt = (x) => start + BigInt(Math.round((x / whole) * seconds * 1e6)) * 1000n;
  const clockAt = (x, width) => tickText(timeAt(x), (width / whole) * seconds < 10 ? 0.1 : 1);
  const percent = (x) => ((x - from) / (to - from)) * 100 + '%';

  // ticks draws a line at every round time.
  function ticks() {
    const room = Math.max(2, Math.floor(grid.clientWidth / tickRoom));
    const shown = ((to - from) / whole) * seconds;
    let step = tickSteps.find((one) => shown / one <= room);
    if (!step) step = Math.ceil(shown / room / 86400) * 86400;
    const each = BigInt(Math.round(step * 1e9));
    const nodes = [];
    for (let ns = (timeAt(from) / each + 1n) * each; ns < timeAt(to) && nodes.length < 60; ns += each) {
      const line = make('span');
      line.style.left = percent((Number(ns - start) / 1e9 / seconds) * whole);
      if (parseFloat(line.style.left) / 100 * grid.clientWidth < grid.clientWidth - tickRoom / 2 - 10) line.append(make('b', '', tickText(ns, step)));
      nodes.push(line);
    }
    grid.replaceChildren(...nodes);
  }

  function draw() {
    for (const svg of plots) svg.setAttribute('viewBox', from + ' 0 ' + (to - from) + ' 200');
    fromInput.value = from / 10;
    toInput.value = to / 10;
    const text = clockAt(from, to - from) + ' to ' + clockAt(to, to - from);
    fromInput.setAttribute('aria-valuetext', clockAt(from, to - from));
    toInput.setAttribute('aria-valuetext', clockAt(to, to - from));
    readout.textContent = text;
    all.disabled = from === 0 && to === whole;
    ticks();
  }

  // look shows a stretch, which is 10 wide at least.
  function look(a, b) {
    from = Math.max(0, Math.min(a, b, whole - 10));
    to = Math.min(whole, Math.max(a, b, from + 10));
    draw();
  }

  // placeOf is the number of the column of a plot, or of a line with columns of its own, at a place; there may be none.
  const placeOf = (of, x) => Math.floor(Number(timeAt(x) - BigInt(of.dataset.start)) / Number(of.dataset.width));

  // columnOf is the times of the nearest column of a plot.
  function columnOf(svg, x) {
    const [first, width] = [BigInt(svg.dataset.start), BigInt(svg.dataset.width)];
    const at = BigInt(Math.min(Math.max(placeOf(svg, x), 0), Number(svg.dataset.n) - 1));
    return [first + at * width, first + (at + 1n) * width];
  }

  // tell says in the legends what the columns at a place have.
  function tell(x) {
    for (const figure of node.querySelectorAll('figure')) {
      const svg = figure.querySelector('svg.bars');
      const paths = svg.querySelectorAll('path');
      figure.querySelectorAll('.now').forEach((now, i) => {
        now.textContent = x === null ? '' : paths[i].dataset.values.split('|')[placeOf(paths[i].dataset.start ? paths[i] : svg, x)] || '–';
      });
    }
    readout.textContent = x === null ? clockAt(from, to - from) + ' to ' + clockAt(to, to - from) : clockAt(x, to - from);
  }

  function mark(a, b) {
    let one = grid.querySelector('.marked-time');
    if (!one) grid.append(one = make('span', 'marked-time'));
    one.style.left = percent(Math.min(a, b));
    one.style.width = (Math.abs(b - a) / (to - from)) * 100 + '%';
  }

  for (const svg of plots) {
    let down = null;
    const place = (event) => {
      const box = svg.getBoundingClientRect();
      return from + Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * (to - from);
    };
    svg.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      down = { x: place(event), at: event.clientX };
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointermove', (event) => {
      tell(place(event));
      if (down) mark(down.x, place(event));
    });
    svg.addEventListener('pointerup', (event) => {
      if (!down) return;
      const [x, moved] = [down.x, Math.abs(event.clientX - down.at)];
      down = null;
      grid.querySelector('.marked-time')?.remove();
      if (moved > 5) {
        look(x, place(event));
        seen(true);
        return;
      }
      const peer = svg.closest('.lane')?.querySelector('[data-show-peer]').dataset.showPeer;
      browser?.show({ within: columnOf(svg, x), find: peer ? 'peer=' + peer : '' });
    });
    svg.addEventListener('pointercancel', () => {
      down = null;
      grid.querySelector('.marked-time')?.remove();
    });
    svg.addEventListener('pointerleave', () => tell(null));
  }

  // seen puts what is shown into the address.
  const seen = (step) => keep(node.closest('section')?.getAttribute('aria-labelledby'), step);
  const key = node.closest('section')?.getAttribute('aria-labelledby')?.replace('time-', 'look-') ?? '';
  const xOf = (ns) => (Number(ns - start) / 1e9 / seconds) * whole;
  views.push({
    get: () => (from === 0 && to === whole ? [] : [[key, timeAt(from) + '-' + timeAt(to)]]),
    set: (query) => {
      const [a, b] = rangeOf(query.get(key))?.map(xOf) ?? [0, whole];
      if (a < whole && b > 0) look(a, b);
      else look(0, whole);
    },
  });

  const slide = (a, b) => {
    look(a, b);
    seen(false);
  };
  fromInput.addEventListener('input', () => slide(Math.min(10 * fromInput.value, to - 10), to));
  toInput.addEventListener('input', () => slide(from, Math.max(10 * toInput.value, from + 10)));
  all.addEventListener('click', () => {
    look(0, whole);
    seen(true);
  });
  list.hidden = !browser;
  list.addEventListener('click', () => browser.show({ within: [timeAt(from), timeAt(to)] }));
  addEventListener('resize', ticks);
  draw();
}
