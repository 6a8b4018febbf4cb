import fc from 'fast-check'
import { runs } from './runs.ts'

/** The seed of every property in `npm test`: the same sources give the same result on every machine. */
const FIXED_SEED = 20_191

const isNightly = process.env['MILLRACE_NIGHTLY'] === '1'
const chosen = process.env['MILLRACE_SEED']

if (chosen !== undefined && !/^-?\d+$/.test(chosen))
  throw new Error(`MILLRACE_SEED is "${chosen}"; write a whole number, or leave it out.`)

// Without a seed fast-check chooses a random one, and a failure names it.
const seed =
  chosen === undefined ? (isNightly ? {} : { seed: FIXED_SEED }) : { seed: Number(chosen) }

fc.configureGlobal({ ...seed, numRuns: runs(100, 2_500) })
