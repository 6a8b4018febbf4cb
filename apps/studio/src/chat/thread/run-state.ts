import type { AgentNode, RunMark, Transcript } from 'millrace'
import { readString } from '../../json/index.ts'

/** Tells whether a run is over: the next one has begun, or it has ended; a pause is no end. */
export function isRunOver({ runs }: Pick<AgentNode, 'runs'>, position: number): boolean {
  if (position < runs.length - 1) return true
  const run = runs.at(position)
  return run?.end !== undefined && !isPaused(run)
}

/** Tells whether a run has only paused: it waits for someone. */
function isPaused({ end }: RunMark): boolean {
  return readString(end, 'stop_reason')?.startsWith('awaiting_') ?? false
}

/**
 * Tells whether the latest run of the agent that was asked is over without a word of it: the stream has said that there
 * is no more. While that goes on, a failure may be mended, and a run that had paused may say more: of these it takes
 * that the stream `isAtRest`.
 */
export function hasEndedWithoutEndFrame(transcript: Transcript, isAtRest: boolean): boolean {
  const { agents, status, pending } = transcript
  const run = agents.at(0)?.runs.at(-1)
  if (!run || (run.end && !isPaused(run)) || pending.length > 0) return false
  if (status === 'complete') return isAtRest || run.end === undefined
  return status === 'error' && isAtRest
}
