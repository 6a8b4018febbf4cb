import { checkOptions, type OptionTypes } from '../../errors/index.ts'
import type { Message, Model } from '../../events/index.ts'
import { requestSummary, SUMMARY_PROMPT } from './request-summary.ts'
import { exceeds, toChain, scaleLimit } from './budget.ts'
import type { CompactionInput, Compactor } from './compactor.ts'
import { estimateTokens } from './tokens/estimate-tokens.ts'
import { type Chain, cutToFit, removeGap } from './chain/remove-gap.ts'
import { withSummary } from './notes.ts'
import { slidingWindow } from './sliding-window.ts'

/** Options of {@link summarise}. */
export interface SummariseOptions {
  /** The model that summarises; by default the model of the run. */
  readonly model?: Model
  /** A larger request is summarised. */
  readonly maxTokens?: number
  /** Number of tokens at the end that stay unchanged. */
  readonly keepRecentTokens?: number
  /** Maximum length of a summary. Fewer tokens than this are not summarised. */
  readonly maxSummaryTokens?: number
  /** System prompt of the summarising model. */
  readonly prompt?: string
  /** Receives the error if there is no summary. Old messages are then removed as by {@link slidingWindow}. */
  readonly onError?: (error: unknown) => void
}

/** The first message stays; the summary is appended to it. */
const HEAD = 1

const types: OptionTypes<SummariseOptions> = {
  model: 'object',
  maxTokens: 'number',
  keepRecentTokens: 'number',
  maxSummaryTokens: 'number',
  prompt: 'string',
  onError: 'function',
}

/** Creates a compactor that replaces the messages between the first and the recent ones by a model's summary. */
export function summarise(options: SummariseOptions = {}): Compactor {
  checkOptions('summarise', options, types)
  const {
    model,
    maxTokens = 160_000,
    keepRecentTokens = 40_000,
    maxSummaryTokens = Math.min(4096, Math.ceil(maxTokens / 8)),
    prompt = SUMMARY_PROMPT,
    onError = () => {},
  }: SummariseOptions = ({} = options)
  const window = slidingWindow({ maxTokens })

  async function compact(input: CompactionInput): Promise<readonly Message[]> {
    if (!exceeds(input, maxTokens)) return input.messages
    const chain = toChain(input)
    const cut = cutToFit(chain, HEAD, scaleLimit(input, keepRecentTokens))
    // A conversation that cannot become small enough must not pay for a summary at every step.
    if (cut === undefined || savedBy(chain, cut) <= maxSummaryTokens) return window.compact(input)
    try {
      const asked = { prompt, messages: chain.messages.slice(0, cut), maxTokens, maxSummaryTokens }
      const summary = await requestSummary({ ...input, ...asked, model: model ?? input.model })
      const note = (first: Message) => withSummary(first, summary)
      return await fit(input, removeGap(chain, { head: HEAD, cut, note }))
    } catch (error) {
      if (input.signal.aborted) return input.messages
      onError(error)
      return window.compact(input)
    }
  }

  /** Applies the sliding window if the summary did not reduce the conversation enough. */
  function fit({ contextTokens = 0, ...input }: CompactionInput, { messages, runStart }: Chain) {
    const before = estimateTokens(input.messages)
    const after = estimateTokens(messages)
    if (after >= before) return window.compact({ ...input, contextTokens })
    // The provider may accept the shorter conversation, so its rejection no longer counts.
    const used = contextTokens === Infinity ? 0 : contextTokens
    const estimatedTokens = Math.ceil((Math.max(input.estimatedTokens, used) * after) / before)
    return window.compact({ ...input, messages, runStart, estimatedTokens })
  }

  return { name: 'summarizing', compact }
}

/** Returns the tokens that a cut removes, without the prompt of the current run. */
function savedBy({ messages, runStart }: Chain, cut: number): number {
  const gone = messages.slice(HEAD, cut).filter((_, index) => index + HEAD !== runStart)
  return estimateTokens(gone)
}
