const SHOWN = 300

/** Shows the first difference of two texts, with the following text of each; undefined if they are equal. */
export function findDifference(found: string, expected: string): string | undefined {
  if (found === expected) return undefined
  let at = 0
  while (found[at] === expected[at]) at++
  const from = Math.max(0, at - SHOWN / 2)
  return `${found.slice(from, at + SHOWN)} in place of ${expected.slice(from, at + SHOWN)}`
}
