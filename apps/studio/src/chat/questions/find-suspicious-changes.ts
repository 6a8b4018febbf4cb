import type { Arguments } from './read-arguments.ts'

/**
 * Describes likely mistakes in edited arguments. The page has no schema of the tool, but the model's arguments show the
 * names and the types.
 */
export function findSuspiciousChanges(before: unknown, after: Arguments): readonly string[] {
  if (typeof before !== 'object' || before === null) return []
  const was = new Map(Object.entries(before))
  const is = new Map(Object.entries(after))
  const missing = [...was.keys()].filter((name) => !is.has(name))
  const added = [...is.keys()].filter((name) => !was.has(name))
  const changed = [...is].filter(
    ([name, value]) => was.has(name) && kindOf(value) !== kindOf(was.get(name)),
  )
  return [
    ...missing.map((name) => `“${name}” is missing. The tool may not run without it.`),
    ...added.map((name) => `“${name}” is new. The tool may not know it.`),
    ...changed.map(
      ([name, value]) => `“${name}” was ${kindOf(was.get(name))} and is now ${kindOf(value)}.`,
    ),
  ]
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return kinds[typeof value] ?? 'something else'
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
}
