/** Repeats a text up to a length. */
export function fill(unit: string, length: number): string {
  return unit.repeat(Math.max(1, Math.floor(length / unit.length)))
}

/** Prose in ASCII without a character that could begin a marker. */
export function plainText(length: number): string {
  return fill(
    'The wheel turns slowly at first, then faster; the stones warm, and flour falls.\nA line follows. ',
    length,
  )
}

/** A source file with comparisons and type arguments, but without escapes and a last line end, which a peer would lose. */
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
