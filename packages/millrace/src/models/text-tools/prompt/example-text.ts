/** Example strings by `format`. */
const byFormat: ReadonlyMap<unknown, string> = new Map([
  ['date', '2026-01-31'],
  ['date-time', '2026-01-31T09:30:00Z'],
  ['duration', 'PT15M'],
  ['email', 'ada@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['regex', '[a-z]+'],
  ['time', '09:30:00Z'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uuid', '123e4567-e89b-42d3-a456-426614174000'],
])

/** Example strings by a word of the parameter's name. */
const byWord: ReadonlyMap<string, string> = new Map([
  ['address', '1 Mill Lane'],
  ['body', 'Buy flour.'],
  ['city', 'Oslo'],
  ['cmd', 'ls -l'],
  ['code', 'print(1 + 1)'],
  ['command', 'ls -l'],
  ['comment', 'Looks right.'],
  ['content', 'Buy flour.'],
  ['country', 'Norway'],
  ['currency', 'EUR'],
  ['date', '2026-01-31'],
  ['description', 'What to buy'],
  ['diff', '@@ -1 +1 @@\n-flour\n+bread'],
  ['dir', 'notes'],
  ['directory', 'notes'],
  ['email', 'ada@example.com'],
  ['expression', '2 + 2'],
  ['file', 'notes/todo.txt'],
  ['filename', 'todo.txt'],
  ['folder', 'notes'],
  ['glob', '*.md'],
  ['id', 'A-17'],
  ['key', 'color'],
  ['lang', 'en'],
  ['language', 'en'],
  ['locale', 'en'],
  ['location', 'Oslo'],
  ['message', 'Buy flour.'],
  ['name', 'Ada'],
  ['patch', '@@ -1 +1 @@\n-flour\n+bread'],
  ['path', 'notes/todo.txt'],
  ['pattern', 'flour'],
  ['place', 'Oslo'],
  ['prompt', 'How does a mill work?'],
  ['query', 'how a mill works'],
  ['question', 'How does a mill work?'],
  ['search', 'how a mill works'],
  ['subject', 'Flour'],
  ['symbol', 'AAPL'],
  ['tag', 'kitchen'],
  ['text', 'Buy flour.'],
  ['time', '09:30'],
  ['timezone', 'Europe/Oslo'],
  ['title', 'Groceries'],
  ['topic', 'mills'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['user', 'ada'],
])

/** Returns a plausible text for a parameter: by its format, otherwise by the last known word of its name. */
export function exampleText(name: string, format: unknown): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  const word = words.findLast((one) => byWord.has(one)) ?? ''
  return byFormat.get(format) ?? byWord.get(word) ?? 'example'
}
