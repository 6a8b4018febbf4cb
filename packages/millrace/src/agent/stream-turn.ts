import { addUsage, failureOf, isProviderEnd, toRunError } from '../events/index.ts'
import type { AgentState } from './agent-state.ts'
import { abandonCalls } from './answer-calls.ts'
import { appendMessage, settleLastAnswer } from './message-chain.ts'
import { retryDelayMs } from './retry.ts'
import { checkpoint, type Next, type Run, type RunStream } from './run.ts'
import { nextAfter } from './stop-reason.ts'
import { type Reply, streamMessage } from './stream-message.ts'

const CUT_SHORT = 'The tool was not run, because the message that calls it was cut short.'
const NOT_CALLED = 'The tool was not run, because the message ended without asking for it.'

/** Has the model say its part of a step. */
export async function* streamTurn(run: Run): RunStream<Next> {
  if (run.state.steps >= run.settings.maxSteps) return stop(run, 'max_steps')
  const reply = yield* askModel(run)
  if (!isProviderEnd(reply.end.outcome)) return yield* endCutRun(run, reply)
  const stopReason = reply.end.stopReason ?? 'unknown'
  const next = nextAfter(stopReason)
  run.state = withReply(run.state, reply, stopReason)
  const { agent, steps: step } = run.state
  yield checkpoint(run.state)
  yield { type: 'step_end', agent, step, stopReason, usage: reply.end.usage }
  if (next === 'tools' && reply.calls.length > 0) return 'tools'
  yield* abandonCalls(run, reply.end.outcome === 'truncated' ? CUT_SHORT : NOT_CALLED)
  return next === 'model' ? next : stop(run, stopReason)
}

/** Asks until the model has answered, or trying again cannot help. */
async function* askModel(run: Run): RunStream<Reply> {
  for (let attempt = 1; ; attempt++) {
    const reply = yield* streamMessage(run)
    const delayMs = retryDelayMs(run.settings, reply.end, attempt)
    if (delayMs === undefined || run.signal.aborted) return reply
    const { agent, steps, usage } = run.state
    run.state = { ...run.state, usage: addUsage(usage, reply.end.usage) }
    if (reply.isShown) {
      const reason = failureOf(reply.end).message
      yield { type: 'step_rollback', agent, step: steps + 1, attempt: attempt + 1, reason }
    }
    await run.settings.wait(delayMs, run.signal)
  }
}

/** Keeps what is whole of an answer that was cut, and ends the run. */
async function* endCutRun(run: Run, reply: Reply): RunStream<Next> {
  const isAborted = reply.end.outcome === 'aborted' || run.signal.aborted
  const stopReason = isAborted ? 'aborted' : 'error'
  run.state = withReply(run.state, reply, stopReason)
  yield* abandonCalls(run, CUT_SHORT)
  if (!isAborted) yield toRunError(run.state.agent, reply.end)
  return stop(run, stopReason)
}

function withReply(state: AgentState, { end, calls }: Reply, stopReason: string): AgentState {
  const messages = appendMessage(state.messages, 'assistant', end.content)
  return {
    ...state,
    messages: nextAfter(stopReason) === 'end' ? settleLastAnswer(messages) : messages,
    steps: isProviderEnd(end.outcome) ? state.steps + 1 : state.steps,
    usage: addUsage(state.usage, end.usage),
    stopReason,
    ...(calls.length > 0 && { turn: { calls, results: [] } }),
  }
}

function stop(run: Run, stopReason: string): Next {
  run.stopReason = stopReason
  return 'end'
}
