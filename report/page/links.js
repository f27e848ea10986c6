
// What a reader takes away: hex, commands, links.

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
