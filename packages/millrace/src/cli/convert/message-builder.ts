import type { Envelope } from '../../envelope/index.ts'
import { type MessageEnd, type ModelEvent, noUsage } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { truncated } from '../../model-stream/index.ts'
import { type OpenedBlock, toCall, toCitation, toProse, toResult } from './block-content.ts'

/** What was told of the end of a message. */
export interface ToldEnd {
  readonly stopReason?: string | undefined
  readonly usage?: JsonObject | undefined
}

interface OpenBlock extends OpenedBlock {
  readonly block: number
  text: string
}

/** Puts the blocks of a run into the messages of a model; nothing is kept of a block that has ended. */
export class MessageBuilder {
  #events: ModelEvent[] = []
  #model = ''
  #messages = 0
  #blocks = 0
  #isOpen = false
  #hasCall = false
  readonly #open = new Map<string, OpenBlock>()
  /** A text whose last piece has come, and which citations may still follow. [LIFE-3] */
  #waiting: OpenBlock | undefined

  setModel(model: string): void {
    this.#model = model
  }

  /** Takes a piece of text or thinking. */
  stream(key: string, envelope: Envelope): void {
    const block = this.#open.get(key) ?? this.#start(toProse(envelope))
    this.#open.set(key, block)
    this.#grow(block, envelope.delta)
    if (!envelope.final) return
    this.#open.delete(key)
    if (envelope.type === 'text') this.#waiting = block
    else this.#stop(block, block.content.type === 'thinking' ? { thinking: block.text } : {})
  }

  cite(item: Envelope): void {
    if (this.#waiting === undefined) return
    const { block } = this.#waiting
    this.#events.push({ type: 'block_citation', block, citation: toCitation(item) })
    if (item.final) this.settle()
  }

  /** Ends a text that was waiting for its citations. */
  settle(): void {
    if (this.#waiting !== undefined) this.#stop(this.#waiting, { text: this.#waiting.text })
    this.#waiting = undefined
  }

  addCall(call: Envelope): void {
    this.#hasCall ||= call.type === 'tool_call'
    const block = this.#start(toCall(call))
    this.#grow(block, call.delta)
    this.#stop(block, {}, call.delta)
  }

  addResult(result: Envelope): void {
    this.#stop(this.#start(toResult(result)))
  }

  end({ stopReason = this.#hasCall ? 'tool_use' : 'end_turn', usage }: ToldEnd): void {
    if (!this.#isOpen) return this.settle()
    const counts = { ...noUsage, ...usage }
    this.#close({ outcome: 'finished', stopReason, retry: 'none', usage: counts })
  }

  fail(type: string, message: string): void {
    const failure = { type, message, retriable: false }
    this.#close({ outcome: 'failed', stopReason: null, retry: 'none', usage: noUsage, failure })
  }

  /** Ends a message that the stream has left open. */
  cut(): void {
    if (!this.#isOpen) return
    this.#close({ ...truncated, stopReason: null, retry: 'none', usage: noUsage })
  }

  /** Hands over the events so far. */
  take(): ModelEvent[] {
    const taken = this.#events
    this.#events = []
    return taken
  }

  #start(opened: OpenedBlock): OpenBlock {
    if (!this.#isOpen) this.#begin()
    const block = { ...opened, block: this.#blocks++, text: '' }
    const { kind, content } = opened
    this.#events.push({ type: 'block_start', block: block.block, kind, content })
    return block
  }

  #begin(): void {
    this.#isOpen = true
    this.#blocks = 0
    this.#messages++
    const messageId = `msg_${this.#messages}`
    this.#events.push({ type: 'message_start', messageId, model: this.#model })
  }

  #grow(block: OpenBlock, text: string): void {
    if (text === '') return
    block.text += text
    this.#events.push({ type: 'block_delta', block: block.block, text })
  }

  #stop({ block, kind, content }: OpenBlock, more: JsonObject = {}, inputText?: string): void {
    const end = { type: 'block_end', block, kind, content: { ...content, ...more } } as const
    this.#events.push(inputText === undefined ? end : { ...end, inputText })
  }

  #close(end: Omit<MessageEnd, 'type' | 'content'>): void {
    this.settle()
    // Content is not gathered: whoever writes a stream has seen its blocks.
    this.#events.push({ type: 'message_end', content: [], ...end })
    this.#isOpen = false
    this.#hasCall = false
    this.#open.clear()
  }
}
