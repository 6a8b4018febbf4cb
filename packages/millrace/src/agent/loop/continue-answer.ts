import {
  type BlockDelta,
  type BlockEnd,
  type BlockStart,
  type ContentBlock,
  type CutBlock,
  isProviderEnd,
  type MessageEnd,
  type ModelEvent,
  type ModelRequest,
} from '../../events/index.ts'
import type { Reply } from './call-model.ts'

/** The complete part of an answer that was interrupted inside a text. */
export interface InterruptedAnswer {
  /** Its blocks; the last one is the interrupted text. */
  readonly content: readonly ContentBlock[]
  /** The number of the last block, which stays open. */
  readonly block: number
  readonly text: string
}

/** Returns an interrupted answer that a model can continue: only text, interrupted in its last block. */
export function toInterruptedAnswer({ end }: Reply): InterruptedAnswer | undefined {
  const { content, cut = [] } = end
  const [open, ...others] = cut
  if (open?.kind !== 'text' || others.length > 0 || open.text.trim() === '') return undefined
  const isPlain = content.every(({ type, citations }) => type === 'text' && citations === undefined)
  const isLast = content.at(-1)?.['text'] === open.text
  return isPlain && isLast ? { content, block: open.block, text: open.text } : undefined
}

/** Characters of the interrupted text that a model is reminded of. */
const QUOTED_CHARS = 200

/** Creates a request that asks a model to continue its answer; undefined if the request already ends with an answer. */
export function askToContinue(
  request: ModelRequest,
  { content, text }: InterruptedAnswer,
): ModelRequest | undefined {
  if (request.messages.at(-1)?.role === 'assistant') return undefined
  const last = text.slice(-QUOTED_CHARS).replace(/^[\udc00-\udfff]/, '')
  const prompt = `Your answer was cut off after ${JSON.stringify(last)}. Continue exactly there. Do not repeat anything and add no introduction.`
  return {
    ...request,
    messages: [
      ...request.messages,
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'text', text: prompt }] },
    ],
  }
}

/**
 * Reads the continuation of an interrupted answer as part of it: its first text belongs to the open block, and further blocks are
 * numbered from there.
 */
export async function* continueStream(
  source: AsyncIterable<ModelEvent>,
  answer: InterruptedAnswer,
): AsyncGenerator<ModelEvent, void, undefined> {
  const joint = new AnswerContinuation(answer)
  for await (const event of source) yield* joint.take(event)
}

class AnswerContinuation {
  readonly #answer: InterruptedAnswer
  #text: string
  /** Trailing white space that was shown already. The continuation may repeat it, because a request cannot end with it. */
  #shown: string
  #isOpen = true
  /** The offset of block numbers; undefined before the first block. */
  #offset: number | undefined

  constructor(answer: InterruptedAnswer) {
    this.#answer = answer
    this.#text = answer.text
    this.#shown = /\s*$/.exec(answer.text)?.[0] ?? ''
  }

  *take(event: ModelEvent): Generator<ModelEvent, void, undefined> {
    if (event.type === 'message_start' || event.type === 'notice') return yield event
    if (event.type === 'message_end') return yield* this.#end(event)
    if (event.type === 'block_start') return yield* this.#start(event)
    const { block } = event
    if (!this.#isOpen || block !== 0) return yield this.#renumber(event)
    if (event.type === 'block_delta') yield* this.#grow(event)
    else if (event.type === 'block_end') yield this.#close(event.content)
    else yield this.#renumber(event)
  }

  /** Continues the open text with a first block of text; else closes it. */
  *#start(event: BlockStart): Generator<ModelEvent, void, undefined> {
    const { block } = this.#answer
    if (this.#offset === undefined && event.kind === 'text') {
      this.#offset = block
      return
    }
    if (this.#offset === undefined) yield this.#close({ type: 'text' })
    this.#offset ??= block + 1
    yield this.#renumber(event)
  }

  *#grow({ text }: BlockDelta): Generator<ModelEvent, void, undefined> {
    const fresh = this.#withoutShown(text)
    this.#text += fresh
    if (fresh !== '') yield { type: 'block_delta', block: this.#answer.block, text: fresh }
  }

  #close(content: ContentBlock): BlockEnd {
    this.#isOpen = false
    const { block } = this.#answer
    return { type: 'block_end', block, kind: 'text', content: { ...content, text: this.#text } }
  }

  *#end(end: MessageEnd): Generator<ModelEvent, void, undefined> {
    // A model that adds nothing had completed its answer.
    if (this.#isOpen && isProviderEnd(end.outcome)) yield this.#close({ type: 'text' })
    const { block, content: before } = this.#answer
    const isJoined = this.#offset === block
    const first = { ...(isJoined && end.content[0]), type: 'text', text: this.#text }
    const content = [...before.slice(0, -1), first, ...end.content.slice(isJoined ? 1 : 0)]
    const { cut: open, ...rest } = end
    const cut: readonly CutBlock[] = this.#isOpen
      ? [{ block, kind: 'text', content: { type: 'text', text: '' }, text: this.#text }]
      : (open ?? []).map((one) => this.#renumber(one))
    yield { ...rest, content, ...(cut.length > 0 && { cut }) }
  }

  #renumber<One extends { readonly block: number }>(one: One): One {
    return { ...one, block: one.block + (this.#offset ?? 0) }
  }

  #withoutShown(text: string): string {
    let from = 0
    while (from < this.#shown.length && text[from] === this.#shown[from]) from++
    this.#shown = from < text.length ? '' : this.#shown.slice(from)
    return text.slice(from)
  }
}
