import type { AgentEvent, AnnouncedCall, BlockKind, ContentBlock } from '../../events/index.ts'
import { isJsonObject, type JsonValue, parseJsonOr } from '../../json/index.ts'

interface OpenBlock {
  readonly block: number
  readonly kind: BlockKind
  readonly content: ContentBlock
  text: string
  signature?: string
}

/** A call of the model, as its block is opened. */
interface NamedCall {
  readonly id: string
  readonly name: string
}

/** The content of a message that is not stored yet. */
interface Unsettled {
  readonly content: readonly ContentBlock[]
  readonly calls: readonly AnnouncedCall[]
}

const empty = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '' },
} as const

/** Builds numbered blocks from pieces, and collects the content of a message. */
export class BlockBuilder {
  readonly #agent: string
  readonly #emit: (event: AgentEvent) => void
  #count = 0
  #prose: OpenBlock | undefined
  readonly #openCalls = new Map<string, OpenBlock>()
  #content: ContentBlock[] = []
  #calls: AnnouncedCall[] = []

  constructor(agent: string, emit: (event: AgentEvent) => void) {
    this.#agent = agent
    this.#emit = emit
  }

  /** Whether the arguments of a call are incomplete. */
  get isInCall(): boolean {
    return this.#openCalls.size > 0
  }

  /** Adds a piece of text or thinking. */
  addProse(kind: 'text' | 'thinking', text: string, signature?: string): void {
    if (this.#prose?.kind !== kind) {
      if (text === '' && signature === undefined) return
      this.endProse()
      this.#prose = this.#start(kind, empty[kind])
    }
    const block = this.#prose
    if (signature !== undefined) block.signature = signature
    this.#grow(block, text)
  }

  endProse(): void {
    const block = this.#prose
    this.#prose = undefined
    if (block === undefined) return
    const content = toProse(block)
    this.#content.push(content)
    this.#emit({ ...this.#place(block), type: 'block_end', content })
  }

  /** Adds a piece of the arguments of a call. */
  growCall(call: NamedCall, text: string): void {
    this.#grow(this.#openCall(call), text)
  }

  /** Completes a call; pieces of its arguments that were shown count, not `inputText`. */
  addCall(call: NamedCall, inputText: string): void {
    const block = this.#openCall(call)
    if (block.text === '') this.#grow(block, inputText)
    this.#openCalls.delete(call.id)
    const whole = block.text === '' ? '{}' : block.text
    const content = { ...block.content, input: toInput(whole) }
    this.#content.push(content)
    this.#calls.push({ ...call, inputText: whole })
    this.#emit({ ...this.#place(block), type: 'block_end', content, inputText: whole })
  }

  /** Leaves open blocks to be closed as interrupted, and keeps the text so far. Returns the ids of incomplete calls. */
  cut(): readonly string[] {
    if (this.#prose?.kind === 'text') this.#content.push(toProse(this.#prose))
    const ids = [...this.#openCalls.keys()]
    this.#prose = undefined
    this.#openCalls.clear()
    return ids
  }

  /** Takes the content since the last time. */
  take(): Unsettled {
    const [content, calls] = [this.#content, this.#calls]
    this.#content = []
    this.#calls = []
    return { content, calls }
  }

  get hasContent(): boolean {
    return this.#content.length > 0
  }

  #openCall(call: NamedCall): OpenBlock {
    const known = this.#openCalls.get(call.id)
    if (known !== undefined) return known
    this.endProse()
    const block = this.#start('tool_call', { type: 'tool_use', ...call, input: {} })
    this.#openCalls.set(call.id, block)
    return block
  }

  #start(kind: BlockKind, content: ContentBlock): OpenBlock {
    const block = { block: this.#count++, kind, content, text: '' }
    this.#emit({ ...this.#place(block), type: 'block_start', content })
    return block
  }

  #grow(block: OpenBlock, text: string): void {
    if (text === '') return
    block.text += text
    this.#emit({ type: 'block_delta', agent: this.#agent, block: block.block, text })
  }

  #place({ block, kind }: OpenBlock) {
    return { agent: this.#agent, block, kind }
  }
}

function toProse({ kind, text, signature }: OpenBlock): ContentBlock {
  if (kind === 'text') return { type: 'text', text }
  return { type: 'thinking', thinking: text, ...(signature !== undefined && { signature }) }
}

function toInput(text: string): JsonValue {
  const value = parseJsonOr(text, undefined)
  return isJsonObject(value) ? value : {}
}
