import type { JsonObject } from '../../../json/index.ts'
import { decodeFlow } from './flow-input.ts'
import { requestExpectations } from './request-expectations.ts'
import { type FlowReport, runFlow } from './run-flow.ts'
import { streamExpectations } from './stream-expectations.ts'

/** Every expectation by its name; one that is not here fails the case. */
const expectations = { ...streamExpectations, ...requestExpectations }

/** Runs an agent by a script over real HTTP, and checks what clients, models, tools and the store saw of it. */
export async function checkFlow(input: JsonObject, expected: JsonObject): Promise<string[]> {
  const flow = decodeFlow(input)
  const report = await runFlow(flow)
  const faults = Object.entries(expected).flatMap(([name, wanted]) => {
    const expectation = Object.hasOwn(expectations, name) ? expectations[name] : undefined
    return (
      expectation?.(wanted, report, flow) ?? [
        `${name}: an expectation that this runner does not know`,
      ]
    )
  })
  return [...faults, ...alwaysFaults(report)]
}

/** What no case may leave: a rule of the protocol broken, a request that the API refuses, now or with the next prompt. */
function alwaysFaults({ faults, requests, next }: FlowReport): string[] {
  const all = next === undefined ? requests : [...requests, next]
  const refused = all.filter(({ isValid }) => !isValid)
  return [...faults, ...refused.map(({ problem }) => `the API refused a request: ${problem}`)]
}
