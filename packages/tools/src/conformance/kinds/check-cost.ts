import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { decodeOutput } from '../decode-output.ts'
import { differences } from '../differences.ts'
import type { KindCheck } from './kind-check.ts'

const schema = z.object({
  cost: z.custom<JsonObject>(isJsonObject, 'must be an object').nullable(),
})

/** Checks the cost of requests by their usage, with the prices of the case over those of the table. */
export const checkCost: KindCheck = {
  tasks: (input) => [{ input }],
  createJudge: (expected) => (output) => {
    const { cost } = decodeOutput(schema, output)
    return differences(expected, { ...withShortNames(cost ?? {}), cost })
  },
}

/** A case may name a field with or without its last word: `total_cost` or `total`. */
function withShortNames(cost: JsonObject): JsonObject {
  const short = Object.entries(cost).map(([name, value]): [string, JsonValue] => [
    name.replace(/_(?:cost|applied)$/, ''),
    value,
  ])
  return { ...Object.fromEntries(short), ...cost }
}
