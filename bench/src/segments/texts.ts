/** Repeats a text as often as a length has room for it. */
export function fill(unit: string, length: number): string {
  return unit.repeat(Math.max(1, Math.floor(length / unit.length)))
}

/** Prose in ASCII without a character that could begin anything. */
export function plainText(length: number): string {
  return fill(
    'The wheel turns slowly at first, then faster; the stones warm, and flour falls.\nA line follows. ',
    length,
  )
}

/** A source file: comparisons and type arguments, but nothing that a peer would lose, such as escapes or a last line end. */
export function sourceCode(length: number): string {
  return fill(
    `export function grind(grain: Map<string, number>, stones: number): Flour[] {
  const flour: Flour[] = []
  for (const [name, kilograms] of grain) {
    // A stone that is worn gives less.
    if (kilograms < stones * 2) flour.push({ name, kilograms: kilograms * 0.8 })
    else flour.push({ name, kilograms })
  }
  return flour
}

`,
    length,
  ).trimEnd()
}
