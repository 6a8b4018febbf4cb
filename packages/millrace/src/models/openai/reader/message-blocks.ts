import type { BlockKind, ContentBlock, CutBlock, ModelEvent } from '../../../events/index.ts'
import type { JsonObject } from '../../../json/index.ts'
import { toOwnFields } from './own-fields.ts'

/** A block that has started and not ended. */
export interface ChatBlock {
  readonly block: number
  readonly kind: BlockKind
  readonly start: ContentBlock
  /** Its text, thinking or input so far. V8 stores the concatenation as a rope. */
  text: string
  /** The provider's details of thinking. */
  details: JsonObject[] | undefined
  /** Citations of a text. */
  citations: JsonObject[] | undefined
}

/** The final content of a block. */
export interface BlockResult {
  readonly content: ContentBlock
  readonly inputText?: string
}

type Prose = 'text' | 'thinking'

/** Opens, extends and ends the blocks of one message, and collects their events. */
export class MessageBlocks {
  #events: ModelEvent[] = []
  /** Blocks in start order. Undefined marks an open or interrupted block. */
  readonly #blocks: (ContentBlock | undefined)[] = []
  readonly #open = new Set<ChatBlock>()
  /** The open text or thinking block. At most one is open at a time, unlike calls. */
  #prose: ChatBlock | undefined

  get isBegun(): boolean {
    return this.#blocks.length > 0
  }

  /** The open text or thinking block, if any. */
  get prose(): ChatBlock | undefined {
    return this.#prose
  }

  emit(event: ModelEvent): void {
    this.#events.push(event)
  }

  /** Adds a notice about an anomaly without other effects. */
  note(message: string, raw?: JsonObject): void {
    this.emit(raw === undefined ? { type: 'notice', message } : { type: 'notice', message, raw })
  }

  /** Returns the collected events and clears them. */
  take(): ModelEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** Appends to the open text or thinking block, or opens it with these fields. */
  write(kind: Prose, text: string, fields: JsonObject = {}): void {
    if (text !== '') this.grow(this.openProse(kind, fields), text)
  }

  /** Returns the open block of a kind. Ends one of the other kind first. */
  openProse(kind: Prose, fields: JsonObject = {}): ChatBlock {
    if (this.#prose?.kind === kind) return this.#prose
    this.endProse()
    this.#prose = this.open(kind, { type: kind, [kind]: '', ...fields })
    return this.#prose
  }

  endProse(): void {
    const open = this.#prose
    if (open === undefined) return
    this.#prose = undefined
    this.end(open, { content: toProse(open) })
  }

  open(kind: BlockKind, start: ContentBlock): ChatBlock {
    const open = {
      block: this.#blocks.length,
      kind,
      start,
      text: '',
      details: undefined,
      citations: undefined,
    }
    this.#blocks.push(undefined)
    this.#open.add(open)
    this.emit({ type: 'block_start', block: open.block, kind, content: start })
    return open
  }

  grow(open: ChatBlock, text: string): void {
    if (text === '') return
    open.text += text
    this.emit({ type: 'block_delta', block: open.block, text })
  }

  cite(open: ChatBlock, citation: JsonObject): void {
    open.citations ??= []
    open.citations.push(citation)
    this.emit({ type: 'block_citation', block: open.block, citation })
  }

  end(open: ChatBlock, result: BlockResult): void {
    const { block, kind } = open
    this.#open.delete(open)
    this.#blocks[block] = result.content
    this.emit({ type: 'block_end', block, kind, ...result })
  }

  /** Returns the complete blocks with open text, which users have read, and the open blocks. */
  close(): { readonly content: readonly ContentBlock[]; readonly cut: readonly CutBlock[] } {
    const open = [...this.#open]
    for (const block of open) {
      if (block.kind === 'text' && block.text !== '') this.#blocks[block.block] = toProse(block)
    }
    return {
      content: this.#blocks.filter((block) => block !== undefined),
      cut: open.map(({ block, kind, start, text }) => ({ block, kind, content: start, text })),
    }
  }
}

function toProse({ start, text, details, citations }: ChatBlock): ContentBlock {
  return {
    ...start,
    [start.type]: text,
    ...(details !== undefined && toOwnFields(start, { reasoning_details: details })),
    ...(citations !== undefined && { citations }),
  }
}
