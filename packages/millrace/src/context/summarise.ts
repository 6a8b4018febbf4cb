import type { Message, Model } from '../events/index.ts'
import { askSummary, SUMMARY_PROMPT } from './ask-summary.ts'
import { isOver, openChain, toOwnLimit } from './budget.ts'
import type { CompactionInput, Compactor } from './compactor.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { type Chain, cutToFit, leaveOut } from './leave-out.ts'
import { withSummary } from './notes.ts'
import { slidingWindow } from './sliding-window.ts'

/** How conversations are summarised. */
export interface SummariseOptions {
  /** The model that summarises; by default the one that answers. */
  readonly model?: Model
  /** A larger request is summarised. */
  readonly maxTokens?: number
  /** So much of the end stays word for word. */
  readonly keepRecentTokens?: number
  /** The longest summary; what is not longer is not summarised. */
  readonly maxSummaryTokens?: number
  /** What the model that summarises is told. */
  readonly prompt?: string
  /** Told why there is no summary; old messages are left out then, as by {@link slidingWindow}. */
  readonly onError?: (error: unknown) => void
}

/** The first message stays, and the summary stands at its end. */
const HEAD = 1

/** Has a model summarise what came between the first message and the recent ones, and puts its words there. */
export function summarise({
  model,
  maxTokens = 160_000,
  keepRecentTokens = 40_000,
  maxSummaryTokens = Math.min(4096, Math.ceil(maxTokens / 8)),
  prompt = SUMMARY_PROMPT,
  onError = () => {},
}: SummariseOptions = {}): Compactor {
  const window = slidingWindow({ maxTokens })

  async function compact(input: CompactionInput): Promise<readonly Message[]> {
    if (!isOver(input, maxTokens)) return input.messages
    const chain = openChain(input)
    const cut = cutToFit(chain, HEAD, toOwnLimit(input, keepRecentTokens))
    // A conversation that cannot become small enough must not pay for a summary at every step.
    if (cut === undefined || savedBy(chain, cut) <= maxSummaryTokens) return window.compact(input)
    try {
      const asked = { prompt, messages: chain.messages.slice(0, cut), maxTokens, maxSummaryTokens }
      const summary = await askSummary({ ...input, ...asked, model: model ?? input.model })
      const note = (first: Message) => withSummary(first, summary)
      return await fit(input, leaveOut(chain, { head: HEAD, cut, note }))
    } catch (error) {
      if (input.signal.aborted) return input.messages
      onError(error)
      return window.compact(input)
    }
  }

  /** What a summary made no lighter, or not light enough, is left to the window. */
  function fit({ contextTokens = 0, ...input }: CompactionInput, { messages, runStart }: Chain) {
    const before = estimateTokens(input.messages)
    const after = estimateTokens(messages)
    if (after >= before) return window.compact({ ...input, contextTokens })
    // What a provider refused may well be taken now.
    const used = contextTokens === Infinity ? 0 : contextTokens
    const estimatedTokens = Math.ceil((Math.max(input.estimatedTokens, used) * after) / before)
    return window.compact({ ...input, messages, runStart, estimatedTokens })
  }

  return { name: 'summarizing', compact }
}

/** What goes with a cut; the prompt of the run in hand stays. */
function savedBy({ messages, runStart }: Chain, cut: number): number {
  const gone = messages.slice(HEAD, cut).filter((_, index) => index + HEAD !== runStart)
  return estimateTokens(gone)
}
