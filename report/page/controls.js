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

for (const table of document.querySelectorAll('table.sortable')) {
  [...table.tHead.rows[0].cells].forEach((head, index) => {
    const numeric = head.dataset.sort === 'number';
    if (!head.dataset.sort) return;
    const button = make('button', '', head.textContent);
    button.type = 'button';
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const down = head.ariaSort ? head.ariaSort === 'ascending' : numeric;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      sortBy(table, index, numeric, down);
    });
  });
}
