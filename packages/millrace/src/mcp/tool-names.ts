/** Maximum name length that all model APIs accept. */
const MAX_NAME_CHARS = 64

/**
 * Assigns tool names for a model: `server__tool`, with the characters and length that model APIs accept, and unique.
 * Valid names stay unchanged in any order of the list.
 */
export function nameTools(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map(tools.map((tool) => [tool, `${server}__${tool}`]))
  const taken = new Set([...names.values()].filter((name) => name === toPlainName(name)))
  return new Map(
    [...names].map(([tool, name]) => {
      const plain = toPlainName(name)
      if (plain === name) return [tool, name]
      const free = findFree(plain, taken)
      taken.add(free)
      return [tool, free]
    }),
  )
}

function toPlainName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME_CHARS)
}

function findFree(name: string, taken: ReadonlySet<string>): string {
  for (let count = 2, free = name; ; count++) {
    if (!taken.has(free)) return free
    const ending = `_${count}`
    free = name.slice(0, MAX_NAME_CHARS - ending.length) + ending
  }
}
