/** The four documents that Millrace follows. */
export type Seed = '000' | '001' | '003' | '004'

/** A statement of a seed, with the check of the behavior of Millrace. */
export interface SeedStatement {
  readonly seed: Seed
  readonly section: string
  /** The statement in one sentence. */
  readonly statement: string
  readonly verdict: 'works' | 'differs'
  /** The reason for a difference; present exactly if there is one. */
  readonly reason?: string
  /** Rejects if the statement does not hold, or, for `differs`, if Millrace does not behave as the reason states. */
  readonly check: () => void | Promise<void>
}

/** A statement with its number within its seed. */
export interface SeedCase extends SeedStatement {
  readonly id: string
}

/** Collects the statements of one section. */
export interface Section {
  readonly statements: readonly SeedStatement[]
  works(statement: string, check: SeedStatement['check']): void
  differs(statement: string, reason: string, check: SeedStatement['check']): void
}

/** Starts a section of a seed. */
export function createSection(seed: Seed, section: string): Section {
  const statements: SeedStatement[] = []
  return {
    statements,
    works: (statement, check) =>
      void statements.push({ seed, section, statement, verdict: 'works', check }),
    differs: (statement, reason, check) =>
      void statements.push({ seed, section, statement, verdict: 'differs', reason, check }),
  }
}

/** Numbers the statements of each seed, section by section: `001-1`, `001-2` and so on. */
export function numberCases(statements: readonly SeedStatement[]): SeedCase[] {
  const sections = [...new Set(statements.map(keyOf))]
  const ordered = sections.flatMap((key) => statements.filter((one) => keyOf(one) === key))
  const counts = new Map<Seed, number>()
  return ordered.map((statement) => {
    const number = (counts.get(statement.seed) ?? 0) + 1
    counts.set(statement.seed, number)
    return { id: `${statement.seed}-${number}`, ...statement }
  })
}

function keyOf({ seed, section }: SeedStatement): string {
  return `${seed} ${section}`
}
