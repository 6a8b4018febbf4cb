import { createVerifier } from '../../../envelope/index.ts'
import { DONE_DATA } from '../../../sse/index.ts'
import { decodeOutput } from '../decode-output.ts'
import type { KindCheck } from '../kind-check.ts'
import { decodeFlow } from './flow-input.ts'
import { type FlowOutput, flowOutputSchema } from './flow-output.ts'
import { requestExpectations } from './request-expectations.ts'
import { streamExpectations } from './stream-expectations.ts'

/** Every expectation by its name; one that is not here fails the case. */
const expectations = { ...streamExpectations, ...requestExpectations }

/** Checks what clients, models, tools and the store saw of an agent that was run by a script. */
export const checkFlow: KindCheck = {
  tasks: (input) => [{ input }],
  createJudge: (expected, input) => {
    const flow = decodeFlow(input)
    return (output) => {
      const found = decodeOutput(flowOutputSchema, output)
      const faults = Object.entries(expected).flatMap(([name, wanted]) => {
        const expectation = Object.hasOwn(expectations, name) ? expectations[name] : undefined
        return (
          expectation?.(wanted, found, flow) ?? [
            `${name}: an expectation that this runner does not know`,
          ]
        )
      })
      return [...faults, ...alwaysFaults(found)]
    }
  },
}

/** What no case may leave: a rule of the protocol broken, a request that the API refuses, now or with the next prompt. */
function alwaysFaults(output: FlowOutput): string[] {
  const { faults, requests, next } = output
  const all = next ? [...requests, next] : requests
  const refused = all.flatMap(({ refused: problem }) => problem ?? [])
  return [
    ...brokenRules(output),
    ...faults,
    ...refused.map((problem) => `the API refused a request: ${problem}`),
  ]
}

/** Of the whole log, as a client got it that read it in one go or in two. */
function brokenRules({ frames }: FlowOutput): string[] {
  if (frames.length === 0) return []
  const verifier = createVerifier()
  const lines = frames.filter(({ data }) => data !== DONE_DATA)
  const violations = lines.flatMap(({ data, id }) => verifier.push(data, id ?? undefined))
  const isDone = frames.at(-1)?.data === DONE_DATA
  return [...violations, ...verifier.end(isDone)].map(({ rule, message }) => `[${rule}] ${message}`)
}
