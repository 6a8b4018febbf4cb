import type { Transcript } from 'millrace'
import { isPaused } from './is-paused.ts'

/**
 * Tells whether the latest run of the agent that was asked is over without a word of it: the stream has said that there
 * is no more. While that goes on, a failure may be mended, and a run that had paused may say more: of these it takes
 * that the stream `isAtRest`.
 */
export function hasEndedSilently(transcript: Transcript, isAtRest: boolean): boolean {
  const { agents, status, pending } = transcript
  const run = agents.at(0)?.runs.at(-1)
  if (!run || (run.end && !isPaused(run)) || pending.length > 0) return false
  if (status === 'complete') return isAtRest || run.end === undefined
  return status === 'error' && isAtRest
}
