import type { ApiError } from '../routes/api-error.ts'
import type { ScriptedBlock } from '../replies/scripted-reply.ts'
import { charsPerToken } from '../request/token-count.ts'
import { type BlockPlan, cutPlan } from './block-plan.ts'
import { type PlanContext, planBlock } from './plan-block.ts'

/** Limits at which a reply is cut. */
export interface Limits {
  readonly maxTokens: number
  readonly stopSequences: readonly string[]
  /** Tools whose input is streamed while it is written: a call that is cut stays open. */
  readonly eagerTools: ReadonlySet<string>
}

/** A reply cut to its limits. */
export interface LimitedBlocks {
  readonly plans: readonly BlockPlan[]
  readonly outputTokens: number
  readonly thinkingTokens: number
  /** The limit that cut the reply, if there is one. */
  readonly limit?: { readonly stopReason: string; readonly stopSequence: string | null }
  readonly error?: ApiError
}

/** Plans blocks up to the first limit that one of them reaches. */
export function limitBlocks(
  blocks: readonly ScriptedBlock[],
  limits: Limits,
  context: PlanContext,
): LimitedBlocks {
  const plans: BlockPlan[] = []
  let outputTokens = 0
  let thinkingTokens = 0
  for (const block of blocks) {
    if (block.type === 'error') {
      return { plans, outputTokens, thinkingTokens, error: block.error }
    }
    const whole = planBlock(block, context)
    const stop = block.type === 'text' ? findStop(whole, limits.stopSequences) : undefined
    const wanted = stop === undefined ? whole : cutPlan(whole, stop.position)
    const left = limits.maxTokens - outputTokens
    const tokens = tokensOf(wanted)
    const isTooLong = tokens > left
    if (!isTooLong || left > wanted.ownTokens) {
      plans.push(isTooLong ? cutToTokens(wanted, left, limits) : wanted)
    }
    const used = Math.min(tokens, left)
    outputTokens += used
    if (block.type === 'thinking') thinkingTokens += used
    const sums = { plans, outputTokens, thinkingTokens }
    if (isTooLong) return { ...sums, limit: { stopReason: 'max_tokens', stopSequence: null } }
    if (stop !== undefined) {
      return { ...sums, limit: { stopReason: 'stop_sequence', stopSequence: stop.sequence } }
    }
  }
  return { plans, outputTokens, thinkingTokens }
}

/** A cut text is closed, as in all recorded streams; so is a cut call, unless its input is streamed while it is written. */
function cutToTokens(plan: BlockPlan, tokens: number, { eagerTools }: Limits): BlockPlan {
  const cut = cutPlan(plan, (tokens - plan.ownTokens) * charsPerToken)
  const isEager = plan.start['type'] === 'tool_use' && eagerTools.has(String(plan.start['name']))
  return { ...cut, isOpen: cut.isOpen || isEager }
}

function tokensOf({ pieces, ownTokens }: BlockPlan): number {
  const chars = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return ownTokens + Math.ceil(chars / charsPerToken)
}

/** Finds the first stop sequence; of two at one position, the one that ends first. */
function findStop(
  { pieces }: BlockPlan,
  sequences: readonly string[],
): { position: number; sequence: string } | undefined {
  if (sequences.length === 0) return undefined
  const text = pieces.join('')
  const found = sequences
    .map((sequence) => ({ sequence, position: text.indexOf(sequence) }))
    .filter(({ position }) => position >= 0)
  const endOf = (stop: (typeof found)[number]): number => stop.position + stop.sequence.length
  return found.toSorted((one, other) => endOf(one) - endOf(other))[0]
}
