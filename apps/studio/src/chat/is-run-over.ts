import type { AgentNode, Transcript } from 'millrace'
import { readString } from '../text/read-field.ts'

/** Tells whether a run is over: the next one has begun, or it has ended; a pause is no end. */
export function isRunOver({ runs }: Pick<AgentNode, 'runs'>, position: number): boolean {
  if (position < runs.length - 1) return true
  const reason = readString(runs.at(position)?.end, 'stop_reason')
  return reason !== undefined && !reason.startsWith('awaiting_')
}

/**
 * Tells whether the latest run of the agent that was asked is over without a word of it: the stream has said that there
 * is no more. A failure may be mended while the stream goes on, so it counts when that `isAtRest`.
 */
export function hasEndedSilently({ agents, status }: Transcript, isAtRest: boolean): boolean {
  const run = agents.at(0)?.runs.at(-1)
  if (!run || run.end) return false
  return status === 'complete' || (status === 'error' && isAtRest)
}
