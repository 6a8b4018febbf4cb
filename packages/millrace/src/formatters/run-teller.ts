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

/** What `meta_init` says of a run besides its agent and model. */
export interface FormattedRun {
  readonly runId: string
  readonly prompt: Prompt
  readonly name?: string
}

/** Tells what happens around the blocks of a stream: its errors and, where there is one, its run. */
export interface RunTeller {
  startMessage(event: MessageStart): AgentEvent[]
  endMessage(event: MessageEnd): AgentEvent[]
  finish(): AgentEvent[]
}

/** Creates the teller of one stream; without a run it tells nothing but errors. */
export function createRunTeller(agent: string, run: FormattedRun | undefined): RunTeller {
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

  /** The end of some blocks without a message around them is no fault of theirs. */
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
