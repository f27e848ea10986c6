// What every part of the page needs: making nodes, the colours, tables that sort.

const byId = (id) => document.getElementById(id);

// make makes an element. Text is only ever set as text: nothing here writes HTML.
function make(name, className, text) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const plural = (n, what) => grouped(n) + ' ' + what + (n === 1 ? '' : 's');

for (const node of document.querySelectorAll('.scripted, #theme, #browser')) node.hidden = false;
for (const node of document.querySelectorAll('.unscripted')) node.hidden = true;

// The colours are kept nowhere: the next reader begins with those of the system.
for (const button of document.querySelectorAll('button[data-theme]')) {
  button.addEventListener('click', () => {
    const theme = button.dataset.theme;
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const other of document.querySelectorAll('button[data-theme]')) {
      other.setAttribute('aria-pressed', String(other === button));
    }
  });
}

// A table sorts by the heads that say how.
function sortBy(table, index, numeric, down) {
  const body = table.tBodies[0];
  const value = (row) => {
    const cell = row.cells[index];
    const text = cell.dataset.value ?? cell.textContent;
    return numeric ? parseFloat(text.replace(/,/g, '')) || 0 : text;
  };
  const rows = [...body.rows].map((row) => [value(row), row]);
  rows.sort(([a], [b]) => (numeric ? a - b : a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
  body.append(...rows.map(([, row]) => row));
}

[...document.querySelectorAll('table.sortable')].forEach((table, number) => {
  const heads = [...table.tHead.rows[0].cells];
  const usual = [...table.tBodies[0].rows];

  // sort sorts by a column; what has no column that sorts is as it was.
  function sort(index, down) {
    for (const head of heads) head.removeAttribute('aria-sort');
    const how = heads[index]?.dataset.sort;
    if (!how) {
      table.tBodies[0].append(...usual);
      return;
    }
    heads[index].setAttribute('aria-sort', down ? 'descending' : 'ascending');
    sortBy(table, index, how === 'number', down);
  }

  heads.forEach((head, index) => {
    if (!head.dataset.sort) return;
    const button = make('button', '', head.textContent);
    button.type = 'button';
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      sort(index, head.ariaSort ? head.ariaSort === 'ascending' : head.dataset.sort === 'number');
      keep(table.closest('section')?.getAttribute('aria-labelledby'), true);
    });
  });

  // In an address a column is its number from 1, below 0 where the greatest is first.
  const key = 'sort-' + number;
  views.push({
    get: () => {
      const at = heads.findIndex((head) => head.ariaSort);
      return at < 0 ? [] : [[key, (heads[at].ariaSort === 'descending' ? '-' : '') + (at + 1)]];
    },
    set: (query) => {
      const [, down, column] = /^(-?)(\d{1,3})$/.exec(query.get(key) ?? '') ?? [];
      sort(Number(column ?? 0) - 1, down === '-');
    },
  });
});
