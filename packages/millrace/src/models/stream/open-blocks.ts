import type { BlockKind, ContentBlock, CutBlock, ModelEvent } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'

/** A block that has started and not ended. */
export interface OpenBlock {
  readonly block: number
  readonly kind: BlockKind
  readonly start: ContentBlock
  /** Its text, thinking or input so far. V8 stores the concatenation as a rope. */
  text: string
}

/** The kinds of blocks of which at most one is open at a time, unlike calls. */
export type Prose = 'text' | 'thinking'

/** Numbers, opens, extends and ends the blocks of one message, and collects their events. */
export class OpenBlocks {
  #events: ModelEvent[] = []
  /** Blocks in start order. Undefined marks an open or interrupted block. */
  readonly #blocks: (ContentBlock | undefined)[] = []
  readonly #open = new Set<OpenBlock>()

  get isBegun(): boolean {
    return this.#blocks.length > 0
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

  open(kind: BlockKind, start: ContentBlock): OpenBlock {
    const open = { block: this.#blocks.length, kind, start, text: '' }
    this.#blocks.push(undefined)
    this.#open.add(open)
    this.emit({ type: 'block_start', block: open.block, kind, content: start })
    return open
  }

  append(open: OpenBlock, text: string): void {
    if (text === '') return
    open.text += text
    this.emit({ type: 'block_delta', block: open.block, text })
  }

  end(open: OpenBlock, content: ContentBlock, inputText?: string): void {
    const { block, kind } = open
    this.#open.delete(open)
    this.#blocks[block] = content
    const event = { type: 'block_end', block, kind, content } as const
    this.emit(inputText === undefined ? event : { ...event, inputText })
  }

  /** Returns the complete blocks with open text, which users have read, and the open blocks. */
  protected closeWith(toText: (open: OpenBlock) => ContentBlock): {
    readonly content: readonly ContentBlock[]
    readonly cut: readonly CutBlock[]
  } {
    const open = [...this.#open]
    for (const block of open) {
      if (block.kind === 'text' && block.text !== '') this.#blocks[block.block] = toText(block)
    }
    return {
      content: this.#blocks.filter((block) => block !== undefined),
      cut: open.map(({ block, kind, start, text }) => ({ block, kind, content: start, text })),
    }
  }
}
