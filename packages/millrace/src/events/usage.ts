import { isJsonObject, type JsonValue, isJsonArray, type JsonObject } from '../json/index.ts'
import { noUsage, type Usage } from './message.ts'

/** Adds the usage of a model call to that of a run. Numbers are added, strings keep the latest value, lists are dropped. */
export function addUsage(total: Usage, usage: Usage): Usage {
  return { ...noUsage, ...addFields(total, usage) }
}

function addFields(
  total: Readonly<Record<string, JsonValue | undefined>>,
  more: Readonly<Record<string, JsonValue | undefined>>,
): Record<string, JsonValue> {
  const sums = new Map<string, JsonValue>()
  for (const [field, value] of [...Object.entries(total), ...Object.entries(more)]) {
    const added = addValues(sums.get(field), value)
    if (added !== undefined) sums.set(field, added)
  }
  return Object.fromEntries(sums)
}

function addValues(total: JsonValue | undefined, value: JsonValue | undefined) {
  if (value === null || value === undefined || Array.isArray(value)) return total
  if (typeof value === 'number' && typeof total === 'number') return total + value
  if (isJsonObject(value)) return addFields(isJsonObject(total) ? total : {}, value)
  return value
}

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

/** Totals of a usage report. */
export interface UsageTotals {
  /** All input tokens: uncached, cache writes and cache reads. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Tokens billed in addition: of a compaction or an advisor. */
  readonly extraInputTokens: number
  readonly extraOutputTokens: number
  /** The size of the conversation in the context: input and output of the last message. */
  readonly contextTokens: number
}

/** Adds up a usage report, iterations included. */
export function toUsageTotals(usage: Usage): UsageTotals {
  const steps = iterationsOf(usage)
  const extra = steps.filter(isBilledBeside)
  const last = steps.findLast((step) => !isBilledBeside(step)) ?? usage
  return {
    inputTokens: inputOf(usage),
    outputTokens: outputOf(usage),
    extraInputTokens: sum(extra.map(inputOf)),
    extraOutputTokens: sum(extra.map(outputOf)),
    contextTokens: inputOf(last) + outputOf(last),
  }
}

const tokenFields = [
  ...(['input_tokens', 'output_tokens'] as const),
  ...(['cache_creation_input_tokens', 'cache_read_input_tokens'] as const),
]

/** Returns the token counts of a usage, without the fields of any size that providers add. */
export function toTokenCounts(usage: Usage): Usage {
  const counts = tokenFields.flatMap((field) => {
    const value = usage[field]
    return typeof value === 'number' ? [[field, value] as const] : []
  })
  return { ...noUsage, ...Object.fromEntries(counts) }
}

type Counts = Usage | JsonObject

function inputOf(counts: Counts): number {
  return sum([
    count(counts, 'input_tokens'),
    count(counts, 'cache_creation_input_tokens'),
    count(counts, 'cache_read_input_tokens'),
  ])
}

function outputOf(counts: Counts): number {
  return count(counts, 'output_tokens')
}

function count(counts: Counts, field: string): number {
  const value = counts[field]
  return typeof value === 'number' ? value : 0
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
