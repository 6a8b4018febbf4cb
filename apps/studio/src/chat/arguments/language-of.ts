/** The languages that can be coloured, by how the names of their files end. */
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

/** The language of a file by its path, empty where it is not at hand. */
export function languageOf(path: string): string {
  const ending = /\.(\w{1,8})$/.exec(path)?.[1] ?? ''
  return languages.get(ending.toLowerCase()) ?? ''
}
