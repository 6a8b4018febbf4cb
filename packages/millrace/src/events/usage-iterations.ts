import { isJsonArray, isJsonObject, type JsonObject } from '../json/index.ts'
import type { Usage } from './message.ts'

/** Iterations whose tokens are not in the totals of the report. */
const billedBeside: ReadonlySet<unknown> = new Set(['compaction', 'advisor_message'])

/** Returns the model calls that a usage report lists individually. */
export function iterationsOf({ iterations }: Usage): readonly JsonObject[] {
  return isJsonArray(iterations) ? iterations.filter(isJsonObject) : []
}

/** Checks whether an iteration's tokens are billed in addition to the totals of the report. */
export function isBilledBeside({ type }: JsonObject): boolean {
  return billedBeside.has(type)
}
