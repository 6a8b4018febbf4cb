import {
  addUsage,
  type AgentEvent,
  isProviderEnd,
  type MessageEnd,
  type MessageStart,
  noUsage,
  type Prompt,
  toRunError,
} from '../events/index.ts'

/** Fields of `meta_init` besides the agent and the model. */
export interface FormattedRun {
  readonly runId: string
  readonly prompt: Prompt
  readonly name?: string
}

/** Creates the events around the blocks of a stream: its errors and, if there is a run, the events of the run. */
interface RunEvents {
  startMessage(event: MessageStart): AgentEvent[]
  endMessage(event: MessageEnd): AgentEvent[]
  finish(): AgentEvent[]
}

/** Creates the run events of one stream; without a run, only errors. */
export function createRunEvents(agent: string, run: FormattedRun | undefined): RunEvents {
  let isBegun = false
  let isFragment = false
  let steps = 0
  let usage = noUsage
  let stopReason = 'unknown'

  function begin(model: string): AgentEvent[] {
    if (isBegun || run === undefined) return []
    isBegun = true
    return [{ type: 'run_start', agent, model, messages: [], ...run }]
  }

  function endStep(end: MessageEnd): AgentEvent[] {
    stopReason = end.stopReason ?? 'unknown'
    steps++
    if (run === undefined) return []
    return [{ type: 'step_end', agent, step: steps, stopReason, usage: end.usage }]
  }

  /** Blocks that end without a message around them are not an error. */
  function fail(end: MessageEnd): AgentEvent[] {
    const isAborted = end.outcome === 'aborted'
    stopReason = isAborted ? 'aborted' : 'error'
    const isPlainEnd = isFragment && end.failure?.type === 'stream_truncated'
    return isAborted || isPlainEnd ? [] : [toRunError(agent, end)]
  }

  return {
    startMessage({ messageId, model }) {
      isFragment = messageId === '' && model === ''
      return begin(model)
    },
    endMessage(end) {
      usage = addUsage(usage, end.usage)
      return [...begin(''), ...(isProviderEnd(end.outcome) ? endStep(end) : fail(end))]
    },
    finish() {
      if (!isBegun) return []
      return [{ type: 'run_end', agent, stopReason, steps, usage, messages: [], files: [] }]
    },
  }
}
