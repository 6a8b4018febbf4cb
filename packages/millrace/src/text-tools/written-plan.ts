import type { CachePlan } from '../events/index.ts'

/** Converts the cache plan to messages whose blocks were replaced as `counts` records; tools are in the prompt. */
export function toWrittenPlan(
  { system = false, tools = false, blocks = [] }: CachePlan,
  counts: readonly (readonly number[])[],
): CachePlan {
  const marks = blocks.flatMap(({ message, block }) => {
    const written = sum((counts[message] ?? []).slice(0, block + 1))
    const kept = counts.slice(0, message).filter((row) => sum(row) > 0)
    return written === 0 ? [] : [{ message: kept.length, block: written - 1 }]
  })
  return { ...((system || tools) && { system: true }), blocks: marks }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
