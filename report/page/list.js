
// The list of packets: filtered, a hundred at a time, so that ten thousand are no burden, and one of them bit by bit.

const pageSize = 100;
const maxChoices = 200; // of a selection

const browser = byId('browser') && data.packets.length > 0 ? browse() : null; // what other parts ask of it; null without packets

function browse() {
  const packets = data.packets.map((_, i) => packetOf(i));
  const lines = new Array(packets.length); // what words are sought in, made when they are
  let shown = packets;
  let from = 0;
  let chosen = null;
  let within = null; // [from, to): ns since 1970

  const lineOf = (p) => (lines[p.index] ??= [p.n, p.file, timeOf(p.time, true), p.src, arrows[p.direction], p.dst, p.case, data.protocols[p.protocol], outcomeOf(p), ...p.notes]
    .join(' ').toLowerCase());

  function choices(id, counts) {
    const list = [...counts].sort((a, b) => b[1] - a[1]);
    for (const [name, n] of list.slice(0, maxChoices)) {
      const option = make('option', '', name + ' (' + grouped(n) + ')');
      option.value = name;
      byId(id).append(option);
    }
  }
  const tally = (key) => packets.reduce((counts, p) => counts.set(key(p), (counts.get(key(p)) ?? 0) + 1), new Map());
  choices('case', tally((p) => p.case));
  choices('sender', tally((p) => p.src));

  // hasValue reports whether a field of the packet has a value: `health=101`, by its path or the end of it.
  function hasValue(p, path, value) {
    const is = (place, text) => {
      const name = place.toLowerCase();
      return (name === path || name.endsWith('.' + path)) && text.toLowerCase().split(/[ ()"|]/).includes(value);
    };
    return (p.refusal && is(p.refusal.path, p.refusal.got)) || piecesOf(p).some((piece) => is(piece.path, piece.text));
  }

  function matches(p, words, verdict, kase, sender) {
    if (verdict === 'n' ? p.notes.length === 0 : verdict !== '' && p.verdict !== Number(verdict)) return false;
    if (kase !== '' && p.case !== kase) return false;
    if (sender !== '' && p.src !== sender) return false;
    if (within && (p.time === '' || BigInt(p.time) < within[0] || BigInt(p.time) >= within[1])) return false;
    return words.every((word) => {
      const at = word.indexOf('=');
      if (word.startsWith('peer=') && [p.src, p.dst].some((peer) => peer.toLowerCase() === word.slice(5))) return true;
      return lineOf(p).includes(word) || (at > 0 && hasValue(p, word.slice(0, at), word.slice(at + 1)));
    });
  }

  function filter() {
    const words = byId('find').value.toLowerCase().split(/\s+/).filter(Boolean);
    const [verdict, kase, sender] = ['verdict', 'case', 'sender'].map((id) => byId(id).value);
    shown = packets.filter((p) => matches(p, words, verdict, kase, sender));
    from = 0;
    byId('within').hidden = !within;
    if (within) byId('within-text').textContent = within.map((ns) => timeOf(String(ns), false)).join(' to ');
    draw();
    keep('packets');
  }

  function row(p) {
    const line = make('tr', p.verdict === 1 ? 'bad-row' : '');
    const head = make('th');
    head.scope = 'row';
    const button = make('button', 'choose', String(p.n));
    button.type = 'button';
    button.setAttribute('aria-label', 'packet ' + p.n + (data.files.length > 1 ? ' of ' + p.file : ''));
    button.tabIndex = -1;
    head.append(button);
    const sender = make('td', '', p.src + ' ' + arrows[p.direction]);
    line.append(head, make('td', 'number wide-only', timeOf(p.time, false)), sender, make('td', 'wide-only', p.dst), make('td', 'wide-only', p.case), make('td', 'number wide-only', grouped(p.bytes)), make('td', 'outcome', outcomeOf(p)));
    line.addEventListener('click', () => open(p));
    if (p === chosen) line.setAttribute('aria-current', 'true');
    return line;
  }

  const bars = packetBars(byId('bars'), (p) => open(p));

  function draw() {
    bars.show(shown, chosen);
    const page = shown.slice(from, from + pageSize);
    const body = byId('list').tBodies[0];
    body.replaceChildren(...page.map(row));
    const first = body.querySelector('[aria-current] button') ?? body.querySelector('button');
    if (first) first.tabIndex = 0;
    byId('status').textContent = shown.length === 0 ? 'No packet is like that.'
      : plural(shown.length, 'packet') + (shown.length < packets.length ? ' of ' + grouped(packets.length) : '') +
        (shown.length > pageSize ? ', ' + grouped(from + 1) + ' to ' + grouped(from + page.length) + ' shown' : '');
    byId('first').disabled = byId('back').disabled = from === 0;
    byId('last').disabled = byId('on').disabled = from + pageSize >= shown.length;
  }

  function turn(to) {
    const last = Math.floor(Math.max(shown.length - 1, 0) / pageSize) * pageSize;
    from = Math.min(Math.max(to, 0), last);
    draw();
    keep('packets', true);
  }

  let marked = 0; // which field
  function mark(index) {
    marked = index;
    for (const node of document.querySelectorAll('#packet .marked')) node.classList.remove('marked');
    for (const node of byId('ruler').querySelectorAll('[data-piece="' + index + '"]')) node.classList.add('marked');
    const line = byId('fields').tBodies[0].rows[index];
    line.classList.add('marked');
    line.scrollIntoView({ block: 'nearest' });
  }

  function head(p) {
    const node = byId('packet-head');
    const when = timeOf(p.time, true);
    const lines = [make('p', '', [p.file && 'Packet ' + p.n + ' of ' + p.file, when].filter(Boolean).join(', ')),
      make('p', '', p.src + ' ' + arrows[p.direction] + ' ' + p.dst + ', ' + data.protocols[p.protocol] + (p.case === '-' ? '' : ' ' + p.case) + ', ' + plural(p.bytes, 'byte'))];
    lines.push(make('p', 'verdict ' + ['good', 'bad', 'note', 'note'][p.verdict], p.verdict === 1 ? outcomeOf(p).replace(/^reject/, 'refused:') : ['accepted', '', 'cut by the capture, which says nothing of its sender', 'needs what earlier packets said, which says nothing of its sender'][p.verdict]));
    for (const note of p.notes) lines.push(make('p', 'note', 'note: ' + note));
    if (p.more > 0) lines.push(make('p', 'quiet', plural(p.more, 'more field') + ' are left out.'));
    node.replaceChildren(...lines);
  }

  function open(p, keepFocus) {
    chosen = p;
    const at = shown.indexOf(p);
    if (at >= 0 && (at < from || at >= from + pageSize)) from = Math.floor(at / pageSize) * pageSize;
    draw();
    const panel = byId('packet');
    panel.hidden = false;
    byId('packet-title').textContent = 'Packet ' + p.n;
    head(p);
    const pieces = piecesOf(p);
    if (p.refusal && !pieces.some((piece) => piece.refused)) {
      const hit = pieces.find((piece) => piece.bit === p.refusal.bit && piece.width > 0 && piece.path === p.refusal.path);
      if (hit) hit.refused = true;
    }
    drawRuler(byId('ruler'), p, pieces, mark);
    fillFields(byId('fields').tBodies[0], pieces, p.refusal, mark);
    marked = Math.max(pieces.findIndex((piece) => piece.refused), 0);
    keep('packets', true);
    byId('before').disabled = at <= 0;
    byId('after').disabled = at < 0 || at + 1 >= shown.length;
    if (!keepFocus) {
      byId('packet-title').focus({ preventScroll: true });
      panel.scrollIntoView({ block: 'nearest' });
    }
  }

  function step(by) {
    const to = shown[shown.indexOf(chosen) + by];
    if (to) open(to, true);
  }

  // choose sets a selection to what it offers; false for what it does not.
  function choose(id, value) {
    const known = [...byId(id).options].some((option) => option.value === value);
    if (known) byId(id).value = value;
    return known;
  }

  // set sets all filters: what is not named is any.
  function set(wanted) {
    for (const id of ['verdict', 'case', 'sender']) byId(id).value = '';
    choose('verdict', wanted.verdict ?? '');
    choose('case', wanted.case ?? '');
    const sender = wanted.sender ?? '';
    byId('find').value = ((wanted.find ?? '') + (choose('sender', sender) ? '' : ' peer=' + sender)).trim();
    within = wanted.within ?? null;
    filter();
  }

  // arrive goes to the list.
  function arrive() {
    byId('packets').scrollIntoView();
    byId('packets').focus({ preventScroll: true });
  }

  // show sets all filters, and goes to the list.
  function show(wanted) {
    set(wanted);
    keep('packets', true);
    arrive();
  }

  byId('filter').addEventListener('submit', (event) => event.preventDefault());
  byId('filter').addEventListener('input', filter);
  byId('filter').addEventListener('reset', () => {
    within = null;
    setTimeout(filter);
  });
  byId('within-any').addEventListener('click', () => {
    within = null;
    filter();
  });
  byId('first').addEventListener('click', () => turn(0));
  byId('back').addEventListener('click', () => turn(from - pageSize));
  byId('on').addEventListener('click', () => turn(from + pageSize));
  byId('last').addEventListener('click', () => turn(shown.length));
  byId('before').addEventListener('click', () => step(-1));
  byId('after').addEventListener('click', () => step(1));
  byId('close').addEventListener('click', () => {
    byId('packet').hidden = true;
    keep('packets', true);
    byId('list').querySelector('[aria-current] button, button')?.focus();
  });

  // One stop of the tab key for a list; within it up, down, the first and the last.
  for (const list of [byId('list'), byId('fields')]) {
    list.addEventListener('keydown', (event) => {
      const buttons = [...list.querySelectorAll('button.choose')];
      const at = buttons.indexOf(document.activeElement);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (at < 0 || to === undefined || !buttons[to]) return;
      event.preventDefault();
      buttons[at].tabIndex = -1;
      buttons[to].tabIndex = 0;
      buttons[to].focus();
    });
  }

  const hexOf = (p) => [...bytesOf(p)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const protocolFlag = byId('browser').dataset.protocol;
  const commandOf = (p) => ['pktscope explain', protocolFlag && '-p ' + quoted(protocolFlag), '-r ' + quoted(p.file), '-n', p.n].filter(Boolean).join(' ');
  byId('copies').append(copyButton('Copy hex', () => hexOf(chosen)), ' ', copyButton('Copy command', () => commandOf(chosen)), ' ',
    copyButton('Copy path', () => piecesOf(chosen)[marked]?.path || chosen.refusal?.path || ''), ' ', copyButton('Copy link', () => location.href.split('#')[0] + addressNow()));

  for (const button of document.querySelectorAll('[data-show-sender]')) {
    button.addEventListener('click', () => show({ verdict: button.dataset.showVerdict, sender: button.dataset.showSender }));
  }
  for (const button of document.querySelectorAll('[data-show-peer]')) {
    button.addEventListener('click', () => show({ find: 'peer=' + button.dataset.showPeer }));
  }
  for (const link of document.querySelectorAll('[data-packet]')) {
    link.addEventListener('click', (event) => {
      const { packet, file, protocol } = link.dataset;
      const p = packets.find((one) => String(one.n) === packet && one.file === file && String(one.protocol) === protocol);
      if (!p) return; // it is not among those that were kept
      event.preventDefault();
      set({});
      open(p);
    });
  }

  const words = ['verdict', 'case', 'sender', 'find'];
  let file = ''; // of the packet that an address names, '' for any

  opened = () => (byId('packet').hidden ? '' : 'packet-' + chosen.n);
  views.push({
    get: () => {
      const list = words.map((id) => [id, byId(id).value]);
      list.push(['time', within?.join('-')], ['bars', bars.stretch()]);
      if (opened()) list.push(['file', data.files.length > 1 ? chosen.file : '']);
      else list.push(['page', from > 0 ? from / pageSize + 1 : '']);
      return list.filter(([, value]) => value);
    },
    set: (query) => {
      file = query.get('file') ?? '';
      set({ ...Object.fromEntries(words.map((id) => [id, (query.get(id) ?? '').slice(0, 1000)])), within: rangeOf(query.get('time')) });
      byId('packet').hidden = true;
      const page = /^\d{1,9}$/.exec(query.get('page') ?? '');
      turn(page ? (page[0] - 1) * pageSize : 0);
      bars.setStretch(rangeOf(query.get('bars')));
    },
    go: (name, asked) => {
      const n = /^packet-(\d+)$/.exec(name)?.[1];
      if (n) {
        if (!asked) set({});
        const p = packets.find((one) => String(one.n) === n && (!asked || !file || one.file === file));
        if (p && !shown.includes(p)) set({});
        if (p) open(p);
        else byId('status').textContent = 'Packet ' + n + ' is not among those of this page.';
        return true;
      }
      if (name === 'packets' && asked) arrive();
      else if (name.startsWith('peer-')) peer(name.slice('peer-'.length));
      else return false;
      return true;
    },
  });

  // peer lists a peer's packets, and marks it in the table of peers.
  function peer(address) {
    set({ find: 'peer=' + address });
    const links = [...document.querySelectorAll('[data-peer]')].filter((link) => link.dataset.peer === address);
    for (const row of document.querySelectorAll('tr.marked-row')) row.classList.remove('marked-row');
    for (const link of links) link.closest('tr').classList.add('marked-row');
    (links[0] ?? byId('packets')).scrollIntoView({ block: 'center' });
    links[0]?.focus({ preventScroll: true });
  }
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth !== width && chosen && !byId('packet').hidden) open(chosen, true);
    width = innerWidth;
  });
  draw();
  return { show };
}
