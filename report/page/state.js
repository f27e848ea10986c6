// The address of the page says what is seen: the place, the packet that is open, filters, the stretch of the plots, the
// bars in sight, the page of the list, how tables are sorted. So it can be sent to somebody, and back goes back.
//
//   #packet-324   #peer-10.0.0.2:5000   #packets?verdict=1&case=Input&sender=…&find=…&time=FROM-TO&page=3&bars=0-200
//   #time-0?look-0=FROM-TO&sort-1=-3
//
// What stands there is a stranger's: values are looked up or set as text, and what is not understood is left out.

// views are what has a state: get() gives the keys and values of what is not as usual, set(query) shows what a query
// says, and the usual where it says nothing; go(name, asked) goes to a place, and tells whether it is one of its own.
const views = [];
let place = ''; // where the reader last did something
let opened = () => ''; // the name of the packet that is open, '' without one

const maxAddress = 20000; // characters; a longer one is not what the page wrote

// rangeOf reads FROM-TO, whole numbers of at most 19 digits; null where it is none.
function rangeOf(text) {
  const found = /^(-?\d{1,19})-(-?\d{1,19})$/.exec(text ?? '');
  const range = found && [BigInt(found[1]), BigInt(found[2])];
  return range && range[0] < range[1] ? range : null;
}

// addressNow writes what is seen.
function addressNow() {
  const query = new URLSearchParams(views.flatMap((view) => view.get())).toString();
  const name = opened() || place;
  return name || query ? '#' + name + (query ? '?' + query : '') : '';
}

// keep puts what is seen into the address, at the place where it was done. A step is one that the back button takes
// back; what is not is part of the one before. A browser that allows no more of it keeps the old one.
let keeping = 0;
let stepped = false;
function keep(where, step) {
  if (where) place = where;
  stepped ||= Boolean(step);
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    const address = addressNow();
    const change = stepped ? 'pushState' : 'replaceState';
    stepped = false;
    try {
      if (address !== location.hash) history[change](null, '', address || location.pathname);
    } catch {
      // only the link is missing
    }
  }, 200);
}

// follow shows what the address says. A place alone changes nothing else.
function follow() {
  const [, name, query] = /^#?([^?]*)\??(.*)$/s.exec(location.hash.slice(0, maxAddress));
  const asked = location.hash.includes('?');
  let plain = '';
  try {
    plain = decodeURIComponent(name);
  } catch {
    // no text that could be meant
  }
  if (asked || plain === '') {
    const values = new URLSearchParams(query);
    for (const view of views) view.set(values);
  }
  const there = byId(plain);
  place = there ? plain : '';
  if (!views.some((view) => view.go?.(plain, asked)) && asked) there?.scrollIntoView();
  stepped = false; // it is where the reader already is
  keep();
}
