import type { JsonObject } from 'millrace'
import { decodeFlow } from '../flow/flow-input.ts'
import { runFlow } from '../flow/run-flow.ts'
import { toFlowOutput } from '../flow/to-flow-output.ts'
import type { Task } from '../implementation.ts'

/** Runs an agent by the script of a case over real HTTP; returns the observations. */
export async function flowCase({ input }: Task): Promise<JsonObject> {
  return toFlowOutput(await runFlow(decodeFlow(input)))
}
