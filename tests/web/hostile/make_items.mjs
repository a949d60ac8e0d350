// Items whose every text tries to become markup, script, an address or a spreadsheet formula.
//   node make_items.mjs > items.jsonl
const MARKUP = '<img src=x onerror="steal()"><script>steal()</script>';
const KEYS = ["a/b", "it's", '"><svg onload=steal()>', 'per%cent%20', 'plus+plus', 'question?mark#hash', 'ü — 日本', '(brackets)', 'a b', '<b>bold</b>',
  '‮gnp.exe', '..', '&amp;', "O'Neil''s"];

function item(id, index) {
  return {
    id: { S: id },
    '<script>steal()</script>': { S: MARKUP },
    '" onfocus="steal()" x="': { S: `" autofocus onfocus="steal()" ${index}` },
    site: { S: ['javascript:steal()', 'https://example.com/?q="><script>', 'data:text/html,<script>steal()</script>', ' javascript:steal()'][index % 4] },
    mail: { S: ['a@example.com', '"><script>@x.y', 'a@b.c?bcc=all@example.com'][index % 3] },
    ...(index % 3 === 0 ? { amount: { S: '<b>12</b>' } } : { amount: { N: index % 3 === 1 ? '123456789012345678.45' : '-7' } }),
    ...(index % 4 === 0 ? {} : { when: { S: index % 4 === 1 ? '<u>soon</u>' : '2024-02-29T23:59:59.123456789Z' } }),
    state: index % 2 ? { S: '<OPEN>' } : { NULL: true },
    note: { S: `=HYPERLINK("http://example.com","x")\n{{7*7}} \${steal()} </textarea><script>steal()</script>` },
    nested: { M: { '<x>': { S: MARKUP }, list: { L: [{ S: '</pre><script>steal()</script>' }, { N: '1' }] } } },
    tags: { SS: ['<i>', '&lt;', 'plain'] },
    secret: { S: 'must-not-be-shown' },
    password: { S: 'must-not-be-shown-either' },
  };
}

for (const [index, id] of KEYS.entries()) console.log(JSON.stringify({ Item: item(id, index) }));
