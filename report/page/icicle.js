
// Where the bits go: the tree, laid out as an icicle. Below each part are its parts, as wide as their bits; a click
// looks closer at one.

const leastWidth = 3; // pixels; what is narrower is not drawn until one looks closer

for (const root of document.querySelectorAll('ul.icicle')) icicle(root);

function icicle(root) {
  const told = root.parentNode.querySelector('.icicle-told');
  const nodes = []; // in the order of the list: a part is before its parts

  function take(list, parent, from, depth) {
    let at = from;
    for (const item of list.children) {
      const node = { button: item.querySelector('button'), from: at, to: at + Number(item.dataset.bits), depth, parent, kids: [], tip: item.dataset.tip };
      nodes.push(node);
      if (parent) parent.kids.push(node);
      node.button.style.setProperty('--carries', item.dataset.used + '%');
      const below = item.querySelector('ul');
      if (below) take(below, node, at, depth + 1);
      at = node.to;
    }
  }
  take(root, null, 0, 0);
  let shown = nodes[0]; // what has all the width
  const within = (node, other) => node.from >= other.from && node.to <= other.to && node.depth >= other.depth;
  const above = (node, other) => other.from >= node.from && other.to <= node.to && node.depth < other.depth;
  const deepest = Math.max(...nodes.map((node) => node.depth));
  root.style.setProperty('--rows', deepest + 1);
  root.classList.add('laid');

  function lay() {
    const size = shown.to - shown.from || 1;
    for (const node of nodes) {
      const [left, right] = above(node, shown) ? [0, 1] : [(node.from - shown.from) / size, (node.to - shown.from) / size];
      const hide = !(within(node, shown) || above(node, shown)) || (right - left) * root.clientWidth < leastWidth;
      node.button.hidden = hide;
      node.button.style.left = left * 100 + '%';
      node.button.style.width = (right - left) * 100 + '%';
      node.button.style.top = node.depth * 2 + 'rem';
      node.button.classList.toggle('path', above(node, shown));
    }
  }

  const tell = (node) => { told.textContent = node.tip; };

  function focus(node) {
    for (const one of nodes) one.button.tabIndex = one === node ? 0 : -1;
    node.button.focus();
  }

  for (const node of nodes) {
    node.button.tabIndex = node === nodes[0] ? 0 : -1;
    node.button.addEventListener('pointerenter', () => tell(node));
    node.button.addEventListener('focus', () => tell(node));
    node.button.addEventListener('click', () => {
      shown = node.kids.length > 0 ? node : node.parent ?? node;
      lay();
      focus(node);
    });
  }
  // One stop of the tab key; the arrows go to the parts above, below and beside.
  root.addEventListener('keydown', (event) => {
    const node = nodes.find((one) => one.button === document.activeElement);
    if (!node) return;
    const beside = (node.parent?.kids ?? [node]).filter((one) => !one.button.hidden);
    const at = beside.indexOf(node);
    const to = { ArrowUp: node.parent, ArrowDown: node.kids.find((one) => !one.button.hidden), ArrowLeft: beside[at - 1], ArrowRight: beside[at + 1], Home: nodes[0] }[event.key];
    if (!to) return;
    event.preventDefault();
    focus(to);
  });
  addEventListener('resize', lay);
  lay();
}
