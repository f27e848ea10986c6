
// The bit ruler: rows of bits, each field with its name under them, and a table that says the same.

const lsb = 0; // the orders are those of the schema language: lsb, msb, bousk
const keepBytes = 32; // of one long field that are drawn
const maxRows = 400;
const orderTexts = [
  'lsb: each row is read from right to left, its first bit is rightmost; numbers stand as written',
  'msb: each row is read from left to right; numbers stand as written',
  'bousk: each row is read from left to right; the low 8 bits of a number come first',
];

// bitText is bits from..to of a payload as a row shows them.
function bitText(bytes, from, to, order, hidden) {
  let text = '';
  for (let bit = from; bit < to; bit++) {
    const byte = bytes[bit >> 3];
    const c = hidden ? '·' : byte === undefined ? '?' : String((byte >> (order === lsb ? bit & 7 : 7 - (bit & 7))) & 1);
    text = order === lsb ? c + text : text + c;
    if ((bit & 7) === 7 && bit + 1 < to) text = order === lsb ? ' ' + text : text + ' ';
  }
  return text;
}

// rowsOf cuts pieces into rows of so many bits.
function rowsOf(pieces, perRow) {
  const rows = [];
  let row = null;
  pieces.forEach((piece, index) => {
    if (piece.bit === null) return;
    const end = piece.bit + piece.width;
    for (let bit = piece.bit; bit < end;) {
      if (!row || row.left || bit >= row.first + perRow || (row.order !== piece.order && bit % 8 === 0)) {
        row = { first: bit - (bit % 8), order: piece.order, parts: [] };
        rows.push(row);
      }
      const skip = Math.floor((end - 1 - row.first) / perRow) * perRow;
      if (bit === row.first && bit - piece.bit >= 8 * keepBytes && skip > 0) {
        row.left = skip / 8;
        row.of = piece;
        bit += skip;
        continue;
      }
      const to = Math.min(end, row.first + perRow);
      row.parts.push({ piece, index, from: bit, to });
      bit = to;
    }
  });
  return rows;
}

function drawRow(row, perRow, bytes, choose) {
  const line = make('div', 'bit-row');
  line.append(make('span', 'offset', String(row.first / 8)));
  if (row.left) {
    line.append(make('span', 'left-out', '… ' + plural(row.left, 'more byte') + ' of ' + (row.of.path || row.of.kind)));
    return line;
  }
  const cells = make('div', 'bits');
  cells.style.gridTemplateColumns = 'repeat(' + perRow + ', minmax(0, 1fr))';
  for (const part of row.parts) {
    const { piece } = part;
    const size = part.to - part.from;
    const at = part.from - row.first;
    const cell = make('div', 'bit-field kind-' + piece.kind + ' tone' + (part.index % 4));
    if (piece.refused) cell.classList.add('refused');
    cell.dataset.piece = part.index;
    cell.style.gridColumn = (row.order === lsb ? perRow - at - size + 1 : at + 1) + ' / span ' + size;
    cell.style.gridRow = '1'; // from right to left as well
    cell.append(make('span', 'digits', bitText(bytes, part.from, part.to, piece.order, piece.hidden)));
    const name = piece.path ? lastName(piece.path) : piece.kind === 'not-read' ? 'not read' : piece.kind;
    cell.append(make('span', 'name', (piece.refused ? '▲ ' : '') + (part.from > piece.bit ? '(' + name + ')' : name)));
    cell.title = (piece.path || name) + ' ' + piece.bit + '+' + piece.width + ': ' + piece.code + ' ' + piece.text;
    cell.addEventListener('click', () => choose(part.index));
    cells.append(cell);
  }
  line.append(cells);
  return line;
}

// drawRuler fills a node. choose is told the piece that was clicked.
function drawRuler(node, packet, pieces, choose) {
  const perRow = node.clientWidth > 800 ? 32 : node.clientWidth > 420 ? 24 : 16;
  const rows = rowsOf(pieces, perRow);
  const bytes = bytesOf(packet);
  node.replaceChildren();
  if (pieces.length === 0) {
    node.append(make('p', 'quiet', packet.shape < 0 ? 'The fields of this packet are left out, because the file would be too large.' : 'The datagram has no bits.'));
    return;
  }
  const drawing = make('div', 'drawing');
  drawing.setAttribute('role', 'img');
  drawing.setAttribute('aria-label', 'The bits of the packet, each field with its name. The table below says the same.');
  let order = -1;
  for (const row of rows.slice(0, maxRows)) {
    if (row.order !== order) {
      order = row.order;
      drawing.append(make('p', 'quiet order', 'Byte, ' + orderTexts[order]));
    }
    drawing.append(drawRow(row, perRow, bytes, choose));
  }
  if (rows.length > maxRows) drawing.append(make('p', 'quiet', plural(rows.length - maxRows, 'more row')));
  node.append(drawing);
}

// fieldRow is a piece's row of the table.
function fieldRow(piece, refusal, index, choose) {
  const row = make('tr', piece.refused ? 'refused' : '');
  const head = make('th');
  head.scope = 'row';
  const name = make('button', 'choose');
  name.type = 'button';
  name.tabIndex = index === 0 ? 0 : -1;
  name.append(make('code', '', (piece.refused ? '▲ ' : '') + (piece.path || (piece.kind === 'not-read' ? 'not read' : piece.kind))));
  name.addEventListener('click', () => choose(index));
  head.append(name);
  const value = make('td');
  value.append(make('code', 'value', piece.text));
  if (piece.refused && refusal) value.append(make('p', 'why', 'refused, ' + refusal.kind + ': ' + refusal.message));
  row.append(head, make('td', 'number', String(piece.bit ?? '?')), make('td', 'number', String(piece.width ?? '?')), make('td', 'wire', piece.code), value, make('td', '', piece.allowed));
  return row;
}

// fillFields fills the table. choose is told the row that was chosen.
function fillFields(body, pieces, refusal, choose) {
  const rows = pieces.map((piece, index) => fieldRow(piece, refusal, index, choose));
  if (refusal && !pieces.some((piece) => piece.refused)) {
    rows.push(fieldRow({ path: refusal.path, kind: 'refused', bit: refusal.bit, width: refusal.width, code: '', text: '', allowed: '', refused: true }, refusal, rows.length, choose));
  }
  body.replaceChildren(...rows);
}
