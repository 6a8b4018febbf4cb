/** Random numbers that depend on a seed alone. */
export interface Seeded {
  /** A whole number from 0 up to, but not including, the limit. */
  below(limit: number): number
  shuffle<Item>(items: readonly Item[]): readonly Item[]
}

/** Creates a source of numbers (mulberry32). */
export function createSeeded(seed: number): Seeded {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const shuffle = <Item>(items: readonly Item[]): readonly Item[] => {
    const keyed = items.map((item) => ({ item, key: next() }))
    return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item)
  }
  return { below, shuffle }
}

/** The seed that `FAULTS_SEED` names, or a new one. */
export function chooseSeed(): number {
  const given = Number(process.env['FAULTS_SEED'])
  return Number.isInteger(given) && given > 0 ? given : Math.ceil(Math.random() * 999_999)
}
