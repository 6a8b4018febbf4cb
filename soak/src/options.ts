import { parseArgs } from 'node:util'
import { type Configuration, configurations } from './configurations.ts'

/** The soak of a command line. */
export interface SoakOptions {
  readonly runs: number
  readonly every: number
  /** Whether servers also run on the oldest and the newest Node. */
  readonly isOnAllNodes: boolean
  /** The path of the report; no report if absent. */
  readonly report: string | undefined
  readonly chosen: readonly Configuration[]
}

const LONG = { runs: 20_000, every: 1_000 }
const SHORT = { runs: 300, every: 50 }

/** The configurations of the short form: each adapter and each store once. */
const shortNames = ['anthropic-memory', 'openai-sqlite', 'anthropic-redis', 'openai-postgres']

/** Explains the command. */
export const usage = `Usage: npm run soak -- [--short] [--runs N] [--every N] [--nodes] [--report FILE] [CONFIGURATION …]

Configurations: ${configurations.map(({ name }) => name).join(', ')}

  --short        the form that \`npm test\` runs, in a minute instead of hours
  --runs N       runs of each configuration; default ${LONG.runs}
  --every N      runs between two samples; default ${LONG.every}
  --nodes        on the oldest and the newest Node too, which are downloaded once
  --report FILE  where the report is written; default test-results/soak.html`

/** Reads the arguments; throws an error with the usage if they are wrong. */
export function readOptions(args: readonly string[]): SoakOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      short: { type: 'boolean', default: false },
      runs: { type: 'string' },
      every: { type: 'string' },
      nodes: { type: 'boolean', default: false },
      report: { type: 'string' },
    },
  })
  const { short: isShort, nodes: isOnAllNodes } = values
  const form = isShort ? SHORT : LONG
  const runs = toCount('runs', values.runs, form.runs)
  const every = toCount('every', values.every, Math.min(form.every, Math.ceil(runs / 6)))
  const report = values.report ?? (isShort ? undefined : 'test-results/soak.html')
  const names = positionals.length === 0 && isShort ? shortNames : positionals
  return { runs, every, isOnAllNodes, report, chosen: choose(names) }
}

function choose(names: readonly string[]): readonly Configuration[] {
  const unknown = names.find((name) => !configurations.some((one) => one.name === name))
  if (unknown !== undefined) throw new Error(`There is no configuration "${unknown}".`)
  if (names.length === 0) return configurations
  return configurations.filter(({ name }) => names.includes(name))
}

function toCount(name: string, text: string | undefined, usual: number): number {
  const count = Number(text ?? usual)
  if (Number.isInteger(count) && count > 0) return count
  throw new Error(`--${name} takes a whole number above 0, not "${text}".`)
}
