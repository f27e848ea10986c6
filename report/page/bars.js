
// A bar for each packet that the list shows: its height is the packet's bits, its colour the case; what was refused is
// red and has a cap. Where there are more packets than pixels, a column shows the largest of its packets, and that one
// of them was refused.

const barHeight = 120; // pixels
const leastShown = 20; // packets, when looked at closest
const palette = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6'];

// packetBars draws in a canvas. choose is told the packet that was clicked.
function packetBars(node, choose) {
  const canvas = node.querySelector('canvas');
  const context = canvas.getContext('2d');
  const told = node.querySelector('.bars-told');
  const legend = node.querySelector('.bars-legend');
  let packets = []; // those that are shown
  let bits = new Float64Array(0); // of each
  let tones = new Uint8Array(0); // of each: which of the palette; its length: others; one more: refused
  let [from, to] = [0, 0]; // which are in sight, in parts of packets
  let chosen = null;
  let pointed = -1;
  let colours = [];
  let waiting = false;

  const cases = new Map(); // name → which of the palette, the most frequent first
  const counts = new Map();
  for (const row of data.packets) counts.set(row[7], (counts.get(row[7]) ?? 0) + 1);
  [...counts].sort((a, b) => b[1] - a[1]).slice(0, palette.length).forEach(([kase], i) => cases.set(data.cases[kase], i));
  const keys = [...cases.keys(), ...(counts.size > cases.size ? ['other cases'] : []), 'refused'];
  keys.forEach((name, i) => {
    const key = make('span', 'key');
    const tone = name === 'refused' && i === keys.length - 1 ? 'cr' : palette[i] ?? 'co';
    key.append(make('span', 'swatch ' + tone), name);
    legend.append(key, ' ');
  });

  // readColours asks what the classes are in the colours that hold now.
  function readColours() {
    const probe = make('span', 'swatch');
    legend.append(probe);
    colours = [...palette, 'co', 'cr', 'text-tone'].map((name) => {
      probe.className = 'swatch ' + name;
      return getComputedStyle(probe).backgroundColor;
    });
    probe.remove();
  }

  function later() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      paint();
    });
  }

  // paint draws what is in sight: at most a column for each pixel.
  function paint() {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(barHeight * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [first, last] = [Math.floor(from), Math.min(Math.ceil(to), packets.length)];
    let most = 1;
    for (let i = first; i < last; i++) most = Math.max(most, bits[i]);
    const each = width / (to - from);
    const room = barHeight - 6; // the caps are above
    const bar = (x, wide, i, refused) => {
      const high = Math.max((bits[i] / most) * room, 1);
      context.fillStyle = colours[refused ? palette.length + 1 : tones[i]];
      context.fillRect(x, barHeight - high, wide, high);
      if (refused) context.fillRect(x - 1, 0, Math.max(wide, 3), 5);
    };
    const isRefused = (i) => tones[i] === palette.length + 1;
    if (each >= 1) {
      const wide = each > 3 ? each - 1 : each;
      for (let i = first; i < last; i++) bar((i - from) * each, wide, i, isRefused(i));
    } else {
      for (let i = first; i < last;) {
        const x = Math.floor((i - from) * each);
        let [largest, refused] = [i, -1];
        for (; i < last && Math.floor((i - from) * each) === x; i++) {
          if (bits[i] > bits[largest]) largest = i;
          if (refused < 0 && isRefused(i)) refused = i;
        }
        bar(x, 1, largest, false);
        if (refused >= 0) bar(x, 1, refused, true);
      }
    }
    const at = chosen ? packets.indexOf(chosen) : -1;
    if (at >= first && at < last) {
      context.strokeStyle = colours[palette.length + 2];
      context.lineWidth = 2;
      context.strokeRect((at - from) * each - 1, 1, Math.max(each, 2) + 1, barHeight - 2);
    }
    node.querySelector('.bars-top').textContent = grouped(most) + ' bits';
    node.querySelector('.bars-all').disabled = node.querySelector('.bars-out').disabled = isAll();
    canvas.setAttribute('aria-label', 'A bar for each packet, ' + (packets.length === 0 ? 'none in sight' : grouped(first + 1) + ' to ' + grouped(last) + ' of ' + grouped(packets.length) + ' in sight') +
      '. The arrow keys move, plus and minus look closer and further, Enter opens.');
  }

  const isAll = () => from === 0 && to === packets.length;

  // see is look by the reader, who finds it in the address.
  function see(a, b) {
    look(a, b);
    keep('packets');
  }

  // look puts a stretch in sight.
  function look(a, b) {
    const size = Math.min(Math.max(b - a, Math.min(leastShown, packets.length)), packets.length);
    from = Math.min(Math.max(a, 0), packets.length - size);
    to = from + size;
    later();
  }

  function zoom(by, at = (from + to) / 2) {
    const size = Math.min(Math.max((to - from) * by, leastShown), packets.length);
    const part = (at - from) / (to - from);
    see(at - part * size, at - part * size + size);
  }

  // point tells what a packet is.
  function point(i) {
    pointed = i;
    const p = packets[i];
    told.textContent = !p ? '' : [p.n, timeOf(p.time, false), p.src + ' ' + arrows[p.direction], p.case, plural(8 * p.bytes, 'bit'), outcomeOf(p)].join(' · ');
  }

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return from + ((event.clientX - box.left) / box.width) * (to - from);
  };
  let down = null;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    down = { x: event.clientX, from, to, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!down) {
      point(Math.floor(place(event)));
      return;
    }
    const by = ((event.clientX - down.x) / canvas.clientWidth) * (down.to - down.from);
    down.moved ||= Math.abs(event.clientX - down.x) > 4;
    if (down.moved) see(down.from - by, down.to - by);
  });
  canvas.addEventListener('pointerup', (event) => {
    const p = packets[Math.floor(place(event))];
    if (down && !down.moved && p) choose(p);
    down = null;
  });
  canvas.addEventListener('pointercancel', () => { down = null; });
  canvas.addEventListener('pointerleave', () => point(-1));
  // The wheel scrolls the page; with the control key, or sideways, it is for the bars.
  canvas.addEventListener('wheel', (event) => {
    if (event.ctrlKey || event.metaKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, place(event));
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) see(from + (event.deltaX / canvas.clientWidth) * (to - from), to + (event.deltaX / canvas.clientWidth) * (to - from));
    else return;
    event.preventDefault();
  }, { passive: false });
  canvas.addEventListener('keydown', (event) => {
    const at = pointed >= 0 && pointed < packets.length ? pointed : Math.max(packets.indexOf(chosen), Math.floor(from));
    const next = { ArrowRight: at + (pointed < 0 ? 0 : 1), ArrowLeft: at - 1, Home: 0, End: packets.length - 1 }[event.key];
    if (next !== undefined) {
      point(Math.min(Math.max(next, 0), packets.length - 1));
      if (pointed < from || pointed >= to) look(pointed - (to - from) / 2, pointed + (to - from) / 2);
    } else if (event.key === '+' || event.key === '=') zoom(0.5, at);
    else if (event.key === '-') zoom(2, at);
    else if (event.key === 'Enter' && packets[at]) choose(packets[at]);
    else return;
    event.preventDefault();
  });
  node.querySelector('.bars-in').addEventListener('click', () => zoom(0.5));
  node.querySelector('.bars-out').addEventListener('click', () => zoom(2));
  node.querySelector('.bars-all').addEventListener('click', () => see(0, packets.length));

  const recolour = () => {
    readColours();
    later();
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
  for (const button of document.querySelectorAll('button[data-theme]')) button.addEventListener('click', recolour);
  addEventListener('resize', later);
  readColours();

  // stretch is what is in sight, as an address has it: '' for all.
  const stretch = () => (isAll() ? '' : Math.round(from) + '-' + Math.round(to));

  // setStretch shows what an address has; all where there is nothing of it.
  function setStretch(range) {
    const [a, b] = range ? range.map(Number) : [0, packets.length];
    if (a >= 0 && a < packets.length) look(a, b);
    else look(0, packets.length);
  }

  // show draws other packets, and which of them is open.
  function show(list, open) {
    if (list !== packets) {
      packets = list;
      bits = Float64Array.from(list, (p) => 8 * p.bytes);
      tones = Uint8Array.from(list, (p) => (p.verdict === 1 ? palette.length + 1 : cases.get(p.case) ?? palette.length));
      point(-1);
      look(0, list.length);
    }
    const at = open && open !== chosen ? packets.indexOf(open) : -1;
    chosen = open;
    if (at >= 0 && (at < from || at >= to)) look(at - (to - from) / 2, at + (to - from) / 2);
    later();
  }
  return { show, stretch, setStretch };
}
