import { isJsonArray, isJsonObject, type JsonObject } from '../json/index.ts'
import type { Usage } from './message.ts'

/** Iterations whose tokens the counts of the whole leave out. */
const billedBeside: ReadonlySet<unknown> = new Set(['compaction', 'advisor_message'])

/** The model calls that a usage report lists one by one, if it does. */
export function iterationsOf({ iterations }: Usage): readonly JsonObject[] {
  return isJsonArray(iterations) ? iterations.filter(isJsonObject) : []
}

/** Tells whether an iteration's tokens come on top of those that the report counts. */
export function isBilledBeside({ type }: JsonObject): boolean {
  return billedBeside.has(type)
}
