import type { BlockKind, ContentBlock, CutBlock, ModelEvent } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'

/** A block of the answer that has begun and not ended. */
export interface AnswerBlock {
  readonly block: number
  readonly kind: BlockKind
  readonly start: ContentBlock
  /** Its text, thinking or input so far; joined by `+`, which V8 stores as a rope. */
  text: string
}

/** Text or thinking, of which only one is open at a time. */
type Prose = 'text' | 'thinking'

/** Numbers, opens, extends and ends the blocks of an answer, and collects their events. */
export class AnswerBlocks {
  #events: ModelEvent[] = []
  /** Blocks by start order; undefined for a block that is open or was cut. */
  readonly #blocks: (ContentBlock | undefined)[] = []
  readonly #open = new Set<AnswerBlock>()
  #prose: AnswerBlock | undefined
  /** White space at the start of a text; alone it is no text. */
  #space = ''
  /** Sources of the open or next text. */
  #citations: JsonObject[] = []

  emit(event: ModelEvent): void {
    this.#events.push(event)
  }

  addNotice(message: string, raw?: JsonObject): void {
    this.emit(raw === undefined ? { type: 'notice', message } : { type: 'notice', message, raw })
  }

  /** Removes and returns the collected events. */
  take(): ModelEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** Continues the open text or thinking, or begins it. */
  write(kind: Prose, text: string): void {
    if (this.#prose?.kind !== kind) this.#beginProse(kind, text)
    else this.append(this.#prose, text)
  }

  /** Adds a source to the open text, or to the next one. */
  cite(citation: JsonObject): void {
    this.#citations.push(citation)
    if (this.#prose?.kind === 'text') this.#emitCitation(this.#prose, citation)
  }

  endProse(): void {
    this.#space = ''
    const open = this.#prose
    if (open === undefined) return
    this.#prose = undefined
    this.end(open, toProse(open, this.#takeCitations(open)))
  }

  open(kind: BlockKind, start: ContentBlock): AnswerBlock {
    const open = { block: this.#blocks.length, kind, start, text: '' }
    this.#blocks.push(undefined)
    this.#open.add(open)
    this.emit({ type: 'block_start', block: open.block, kind, content: start })
    return open
  }

  append(open: AnswerBlock, text: string): void {
    if (text === '') return
    open.text += text
    this.emit({ type: 'block_delta', block: open.block, text })
  }

  end(open: AnswerBlock, content: ContentBlock, inputText?: string): void {
    const { block, kind } = open
    this.#open.delete(open)
    this.#blocks[block] = content
    const event = { type: 'block_end', block, kind, content } as const
    this.emit(inputText === undefined ? event : { ...event, inputText })
  }

  /** Returns the complete blocks, text as far as it was shown, and the open blocks. */
  close(): { readonly content: readonly ContentBlock[]; readonly cut: readonly CutBlock[] } {
    const open = [...this.#open]
    if (this.#prose?.kind === 'text') {
      const prose = this.#prose
      this.#blocks[prose.block] = toProse(prose, this.#takeCitations(prose))
    }
    return {
      content: this.#blocks.filter((block) => block !== undefined),
      cut: open.map(({ block, kind, start, text }) => ({ block, kind, content: start, text })),
    }
  }

  #beginProse(kind: Prose, text: string): void {
    if (this.#prose !== undefined) this.endProse()
    const space = kind === 'text' ? this.#space : ''
    this.#space = kind === 'text' && text.trim() === '' ? space + text : ''
    if (this.#space !== '') return
    this.#prose = this.open(kind, { type: kind, [kind]: '' })
    if (kind === 'text') for (const one of this.#citations) this.#emitCitation(this.#prose, one)
    this.append(this.#prose, space + text)
  }

  #emitCitation({ block }: AnswerBlock, citation: JsonObject): void {
    this.emit({ type: 'block_citation', block, citation })
  }

  #takeCitations({ kind }: AnswerBlock): readonly JsonObject[] {
    if (kind !== 'text') return []
    const citations = this.#citations
    this.#citations = []
    return citations
  }
}

function toProse({ start, text }: AnswerBlock, citations: readonly JsonObject[]): ContentBlock {
  const block = { ...start, [start.type]: text }
  return citations.length === 0 ? block : { ...block, citations }
}
