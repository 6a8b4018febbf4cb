import { type Price, prices, type PriceTable } from './prices.ts'

/** A row of a price table. */
export interface FoundPrice {
  /** The name of the row. */
  readonly modelId: string
  readonly price: Price
}

/**
 * Suffixes that do not denote another model: `-0`, a date, `latest`, a cloud's packaging version.
 * `claude-opus-4-1-20250805-v1:0` is `claude-opus-4-1`, but `claude-opus-4-10` is an unknown model.
 */
const snapshot = /^(?:-0|[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|default)|-v\d+(?::\d+k?)*)*$/

/**
 * Finds the price of a model: by its exact name, then by the longest name of which it is a snapshot. Returns
 * undefined otherwise: another version or variant has its own price. [COST-3]
 */
export function findPrice(modelId: string, table: PriceTable = prices): FoundPrice | undefined {
  const plain = toPlainName(modelId)
  const name =
    [modelId, plain].find((id) => Object.hasOwn(table, id)) ?? longestName(modelId, plain, table)
  const price = name === undefined ? undefined : table[name]
  return name === undefined || price === undefined ? undefined : { modelId: name, price }
}

function longestName(modelId: string, plain: string, table: PriceTable): string | undefined {
  return Object.keys(table)
    .filter((name) => isSnapshotOf(modelId, name) || isSnapshotOf(plain, name))
    .reduce<string | undefined>(
      (longest, name) => (name.length > (longest?.length ?? 0) ? name : longest),
      undefined,
    )
}

function isSnapshotOf(modelId: string, name: string): boolean {
  return modelId.startsWith(name) && snapshot.test(modelId.slice(name.length))
}

/**
 * Removes the prefixes of clouds and routers: `us.anthropic.claude-…`, `publishers/anthropic/models/claude-…`,
 * `anthropic/claude-opus-4.5`.
 */
function toPlainName(modelId: string): string {
  const name = modelId.slice(modelId.lastIndexOf('/') + 1).replace(/^(?:[\w-]+\.)?anthropic\./, '')
  return name.startsWith('claude-') ? name.replace(/(\d)\.(?=\d)/g, '$1-') : name
}
