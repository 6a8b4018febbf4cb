/** Languages that can be highlighted, by file extension. */
const languages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bash: ['sh', 'bash', 'zsh'],
    css: ['css'],
    diff: ['diff', 'patch'],
    go: ['go'],
    java: ['java'],
    javascript: ['js', 'jsx', 'mjs', 'cjs'],
    json: ['json'],
    python: ['py', 'pyi'],
    rust: ['rs'],
    sql: ['sql'],
    typescript: ['ts', 'tsx', 'mts', 'cts'],
    xml: ['xml', 'html', 'htm', 'svg'],
    yaml: ['yaml', 'yml'],
  }).flatMap(([language, endings]) => endings.map((ending) => [ending, language] as const)),
)

/** Returns the language of a file by its path; empty if it is not supported. */
export function languageOf(path: string): string {
  const ending = /\.(\w{1,8})$/.exec(path)?.[1] ?? ''
  return languages.get(ending.toLowerCase()) ?? ''
}
