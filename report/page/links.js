
// Links: the address says which packet is open and how the list is filtered, so that it can be sent to somebody.
//
//   #packet-324   #peer-10.0.0.2:5000   #packets?verdict=1&case=Input&sender=…&find=…&time=FROM-TO
//
// What stands there is a stranger's: values are looked up or set as text, and what is not understood is left out.

// addressOf reads an address: its name, and the filters behind the question mark.
function addressOf(hash) {
  const [, name, query] = /^#?([^?]*)\??(.*)$/s.exec(hash);
  const filters = {};
  for (const [key, value] of new URLSearchParams(query)) {
    if (['verdict', 'case', 'sender', 'find', 'file'].includes(key)) filters[key] = value.slice(0, 1000);
    const times = key === 'time' && /^(-?\d{1,19})-(-?\d{1,19})$/.exec(value);
    if (times) filters.within = [BigInt(times[1]), BigInt(times[2])];
  }
  let plain = '';
  try {
    plain = decodeURIComponent(name);
  } catch {
    // no text that could be meant
  }
  return { name: plain, filters };
}

// addressFor writes one.
function addressFor(name, filters) {
  const query = new URLSearchParams();
  for (const key of ['verdict', 'case', 'sender', 'find', 'file']) {
    if (filters[key]) query.set(key, filters[key]);
  }
  if (filters.within) query.set('time', filters.within.join('-'));
  const text = query.toString();
  return '#' + name + (text ? '?' + text : '');
}

// keep puts an address into that of the page. A browser that allows no more of it keeps the old one.
let keeping = 0;
function keep(address) {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    try {
      if (address !== location.hash) history.replaceState(null, '', address);
    } catch {
      // only the link is missing
    }
  }, 200);
}

// copyButton copies what text() gives, and says so.
function copyButton(label, text) {
  const button = make('button', 'copy', label);
  button.type = 'button';
  button.addEventListener('click', async () => {
    const done = await copied(text());
    button.textContent = done ? 'Copied' : 'Not copied';
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}

// copied puts text on the clipboard; the old way where the browser forbids the new one.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make('textarea', 'skip');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

// quoted is a word of a shell.
function quoted(word) {
  if (word.startsWith('-')) word = './' + word;
  return /^[\w./:@%+,=-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

for (const node of document.querySelectorAll('code.hex')) {
  node.after(' ', copyButton('Copy', () => node.textContent));
}
