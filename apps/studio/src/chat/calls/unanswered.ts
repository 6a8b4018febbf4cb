import { agentOf, childrenOf } from 'millrace'
import type { Block, Transcript } from 'millrace'

/**
 * Reports whether a pending call was abandoned: its result is an error without a decision or an answer. Frontend tools have no stages, so
 * only questions are recognized among them.
 */
export function isUnanswered(block: Block): boolean {
  if (block.type !== 'tool_call' || !block.result?.isError) return false
  if (block.status) return block.status.stage === 'approval_requested'
  return block.name === 'user_confirm'
}

/** Agents can name each other as parents, so the depth is bounded. */
const MAX_DEPTH = 16

interface AskedOptions {
  /** Number of the run, from 0; the latest by default. */
  readonly run?: number
  readonly depth?: number
}

/** Reports whether the last act of an agent or its sub-agents in a run was a question that got no answer. */
export function hasUnansweredQuestion(
  transcript: Transcript,
  agent: string,
  { run, depth = 0 }: AskedOptions = {},
): boolean {
  const { blocks, runs } = agentOf(transcript, agent) ?? {}
  const next = run === undefined ? undefined : runs?.at(run + 1)
  // Calls of one step are adjacent.
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
