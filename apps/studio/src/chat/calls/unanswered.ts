import { agentOf, childrenOf } from 'millrace'
import type { Block, Transcript } from 'millrace'

/**
 * Tells a call that waited for a person and was given up: its result tells of a failure, and nobody had decided or
 * answered. A tool of the browser that runs is not told of in stages, so only the question is known for one.
 */
export function isUnanswered(block: Block): boolean {
  if (block.type !== 'tool_call' || !block.result?.isError) return false
  if (block.status) return block.status.stage === 'approval_requested'
  return block.name === 'user_confirm'
}

/** Agents may name each other as parents; deeper ones are not looked at. */
const MAX_DEPTH = 16

interface AskedOptions {
  /** The run that is meant, by its number from 0; the latest if not given. */
  readonly run?: number
  readonly depth?: number
}

/** Tells whether the last thing that an agent did in a run, or one that it spawned, was to ask in vain. */
export function hasUnansweredQuestion(
  transcript: Transcript,
  agent: string,
  { run, depth = 0 }: AskedOptions = {},
): boolean {
  const { blocks, runs } = agentOf(transcript, agent) ?? {}
  const next = run === undefined ? undefined : runs?.at(run + 1)
  // Calls of one step stand side by side.
  for (let at = (next?.firstBlock ?? blocks?.length ?? 0) - 1; at >= 0; at--) {
    const block = blocks?.at(at)
    if (block?.type !== 'tool_call') return false
    if (isUnanswered(block)) return true
    const spawned = depth < MAX_DEPTH ? childrenOf(transcript, agent, block.id) : []
    if (spawned.some(({ id }) => hasUnansweredQuestion(transcript, id, { depth: depth + 1 })))
      return true
  }
  return false
}
