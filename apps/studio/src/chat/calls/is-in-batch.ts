import { traitsOf } from 'millrace'
import type { AgentNode, Block } from 'millrace'

/** The number of adjacent calls in one step that form a batch. */
const MANY = 4

/** Reports whether a call belongs to a batch of calls in one step. */
export function isInBatch(
  { blocks, steps }: Pick<AgentNode, 'blocks' | 'steps'>,
  position: number,
): boolean {
  if (!isCall(blocks.at(position))) return false
  const next = countEnded(steps, position)
  const start = next === 0 ? 0 : (steps.at(next - 1)?.afterBlock ?? 0)
  const end = Math.min(blocks.length, steps.at(next)?.afterBlock ?? Infinity)
  let count = 1
  for (let at = position - 1; at >= start && count < MANY && isCall(blocks.at(at)); at--) count++
  for (let at = position + 1; at < end && count < MANY && isCall(blocks.at(at)); at++) count++
  return count >= MANY
}

/** Counts the steps that had ended when a block began. */
function countEnded(steps: AgentNode['steps'], position: number): number {
  let low = 0
  let high = steps.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((steps.at(middle)?.afterBlock ?? Infinity) <= position) low = middle + 1
    else high = middle
  }
  return low
}

function isCall(block: Block | undefined): boolean {
  return block !== undefined && traitsOf(block.type)?.answeredBy !== undefined
}
