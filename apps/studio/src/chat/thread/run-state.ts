import { isPauseReason } from 'millrace'
import type { AgentNode, RunMark, Transcript } from 'millrace'
import { readString } from '../../json/index.ts'

/** Reports whether a run is over: it has ended, or the next one has begun. A pause is not an end. */
export function isRunOver({ runs }: Pick<AgentNode, 'runs'>, position: number): boolean {
  if (position < runs.length - 1) return true
  const run = runs.at(position)
  return run?.end !== undefined && !isPaused(run)
}

/** Reports whether a run is paused. */
function isPaused({ end }: RunMark): boolean {
  return isPauseReason(readString(end, 'stop_reason'))
}

/**
 * Reports whether the latest run of the root is over although it has no end frame. During a stream, an error may be
 * retried and a paused run may continue, so these need a stream that is at rest.
 */
export function hasEndedWithoutEndFrame(transcript: Transcript, isAtRest: boolean): boolean {
  const { agents, status, pending } = transcript
  const run = agents.at(0)?.runs.at(-1)
  if (!run || (run.end && !isPaused(run)) || pending.length > 0) return false
  if (status === 'complete') return isAtRest || run.end === undefined
  return status === 'error' && isAtRest
}
