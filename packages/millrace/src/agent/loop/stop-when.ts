import { isCall, type Usage } from '../../events/index.ts'
import type { JsonValue } from '../../json/index.ts'
import { awaitOrAbort } from '../../streams/index.ts'
import { fromResultBlock } from '../../tools/index.ts'
import { type AgentState, totalsOf } from '../state/index.ts'
import type { Run, StepPlace } from '../run.ts'
import { nextAfter } from './end-run.ts'
import { observe } from './step-hooks.ts'

/** A call of a step, with the arguments as the model wrote them. */
export interface StepCall {
  readonly id: string
  readonly name: string
  readonly input: JsonValue
}

/** The result of a call, as the model gets it. */
export interface StepResult {
  readonly callId: string
  readonly name: string
  readonly text: string
  readonly isError: boolean
}

/** A step whose calls have their results. */
export interface FinishedStep<Context = unknown> extends StepPlace<Context> {
  readonly calls: readonly StepCall[]
  /** The results, in the order of the calls. */
  readonly results: readonly StepResult[]
  /** The tokens of the run so far, with its sub-agents. */
  readonly usage: Usage
}

/** Decides after the results of a step whether the run ends without another model call. */
export type StopCondition<Context = unknown> = (
  step: FinishedStep<Context>,
) => boolean | Promise<boolean>

/** The stop reason of a run that its `stopWhen` ended. */
export const STOP_CONDITION = 'stop_condition'

/**
 * Reports a step that has its results, and checks whether `stopWhen` ends the run before its next model call. The step is derived from the stored messages, so that a run continues with
 * the same question after a crash. A message of the user takes precedence, because it was accepted.
 */
export async function settleStep(run: Run): Promise<boolean> {
  const { settings, state, context, signal } = run
  const { stopWhen, afterStep } = settings
  if (stopWhen === undefined && afterStep === undefined) return false
  const step = finishedStep(state)
  if (step === undefined) return false
  if (afterStep !== undefined) observe(run, () => afterStep({ ...step, context }))
  if (stopWhen === undefined || run.steering.length > 0) return false
  const verdict = await awaitOrAbort(stopWhen({ ...step, context }), signal)
  return verdict === true && run.steering.length === 0
}

/** Reports a step without calls to run. */
export function reportAnswer(run: Run): void {
  const { settings, state, context } = run
  const { afterStep } = settings
  if (afterStep === undefined) return
  const { agent, steps: step } = state
  const { usage } = totalsOf(state)
  observe(run, () => afterStep({ agent, step, calls: [], results: [], usage, context }))
}

/** Returns the step whose results are the end of the conversation. */
function finishedStep(state: AgentState): Omit<FinishedStep, 'context'> | undefined {
  const [answer, last] = state.messages.slice(-2)
  const isClosing =
    last?.role === 'user' && last.content.every(({ type }) => type === 'tool_result')
  if (answer === undefined || !isClosing || nextAfter(state.stopReason) !== 'tools')
    return undefined
  const calls = answer.content
    .filter(isCall)
    .map(({ id, name, input = {} }) => ({ id: String(id), name: String(name), input }))
  const names = new Map(calls.map(({ id, name }) => [id, name]))
  const results = last.content.map((block) => {
    const callId = String(block['tool_use_id'])
    const { text, isError } = fromResultBlock(block)
    return { callId, name: names.get(callId) ?? '', text, isError }
  })
  const { usage } = totalsOf(state)
  return { agent: state.agent, step: state.steps, calls, results, usage }
}
