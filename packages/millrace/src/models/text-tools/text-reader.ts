import type {
  BlockCitation,
  BlockDelta,
  BlockEnd,
  BlockStart,
  MessageEnd,
  ModelEvent,
} from '../../events/index.ts'
import { AnswerBlocks, type FoundCall } from './call-blocks.ts'
import type { OpenBlock } from '../stream/index.ts'
import { SegmentText, type SegmentTextOptions } from './segment-text.ts'

interface TextReaderOptions {
  readonly segments: SegmentTextOptions
  /** Creates the id of a call, which must be new in the conversation. */
  readonly createId: (call: FoundCall, messageId: string) => string
  readonly endWithCalls: (end: MessageEnd) => MessageEnd
}

/** Converts the events of a model that writes its calls as text to events with calls. */
export interface TextReader {
  /** Reads the next event and returns the converted events. */
  feed(event: ModelEvent): ModelEvent[]
}

/** Creates a reader for one message; blocks other than text pass unchanged except for their index. */
export function createTextReader(options: TextReaderOptions): TextReader {
  return new AnswerReader(options)
}

class AnswerReader implements TextReader {
  readonly #options: TextReaderOptions
  readonly #blocks = new AnswerBlocks()
  readonly #text: SegmentText
  /** The model's own open blocks, by index; a text has no block of its own. */
  readonly #native = new Map<number, OpenBlock | 'text'>()
  #messageId = ''

  constructor(options: TextReaderOptions) {
    this.#options = options
    this.#text = new SegmentText({
      blocks: this.#blocks,
      createId: (call) => options.createId(call, this.#messageId),
      options: options.segments,
    })
  }

  feed(event: ModelEvent): ModelEvent[] {
    this.#take(event)
    return this.#blocks.take()
  }

  #take(event: ModelEvent): void {
    if (event.type === 'block_start') return this.#startBlock(event)
    if (event.type === 'message_end') return this.#endMessage(event)
    if (event.type === 'message_start') this.#messageId = event.messageId
    if (!('block' in event)) return this.#blocks.emit(event)
    const open = this.#native.get(event.block)
    if (event.type === 'block_end') this.#native.delete(event.block)
    if (open === 'text') this.#takeText(event)
    else if (open !== undefined) this.#takeOther(open, event)
  }

  #startBlock({ block, kind, content }: BlockStart): void {
    if (kind === 'text') return void this.#native.set(block, 'text')
    this.#endText()
    this.#native.set(block, this.#blocks.open(kind, content))
  }

  /** A call that has begun may continue in a later block; a possible beginning of one is text. */
  #endText(): void {
    if (!this.#text.isInCall) this.#text.finish()
    this.#blocks.endProse()
  }

  #takeText(event: BlockDelta | BlockCitation | BlockEnd): void {
    if (event.type === 'block_delta') this.#text.write(event.text)
    else if (event.type === 'block_citation') this.#blocks.cite(event.citation)
    else this.#endText()
  }

  #takeOther(open: OpenBlock, event: BlockDelta | BlockCitation | BlockEnd): void {
    if (event.type === 'block_delta') this.#blocks.append(open, event.text)
    else if (event.type === 'block_end') this.#blocks.end(open, event.content, event.inputText)
    else this.#blocks.emit({ ...event, block: open.block })
  }

  #endMessage({ cut: _, ...end }: MessageEnd): void {
    this.#text.finish()
    if (end.outcome === 'finished') this.#text.endMessage()
    const isCut = [...this.#native.values()].includes('text')
    if (!isCut) this.#blocks.endProse()
    const { content, cut } = this.#blocks.close()
    const messageEnd = { ...end, content, ...(cut.length > 0 && { cut }) }
    this.#blocks.emit(this.#text.hasCalls ? this.#options.endWithCalls(messageEnd) : messageEnd)
  }
}
