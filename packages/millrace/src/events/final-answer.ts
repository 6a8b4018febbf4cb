import { isProse, traitsOfEvent } from './catalog/find-traits.ts'
import { isJsonPrefix, type JsonObject } from '../json/index.ts'
import type { AgentEvent } from './agent-event.ts'
import { isThought } from './block-kinds.ts'
import type { BlockEnd, BlockKind } from './model-event.ts'

/** Text of one block. It becomes part of the answer with its first character. */
interface Part {
  text: string
  /** The latest pieces, which are not in `text` yet. */
  readonly pieces: string[]
  isListed: boolean
}

/** Pieces that are joined at once: a text that grows piece by piece would keep a string for each of them. */
const MAX_PIECES = 16

/** Creates the final answer of an agent. `start` is the answer of its conversation so far. */
export function createFinalAnswer(agent: string, start = ''): FinalAnswer {
  return new FinalAnswer(agent, start)
}

/**
 * Tracks the final answer of one agent: the text of the blocks that opened after the last call, result, user message or run start, without
 * rolled back text. [LIFE-15]
 */
export class FinalAnswer {
  readonly #agent: string
  readonly #open = new Map<number, Part>()
  #parts: Part[]
  #settled: readonly Part[]

  constructor(agent: string, start: string) {
    this.#agent = agent
    this.#parts = start === '' ? [] : [{ text: start, pieces: [], isListed: true }]
    this.#settled = this.#parts.slice()
  }

  text(): string {
    return this.#parts.map(({ text, pieces }) => text + pieces.join('')).join('')
  }

  /** Handles the next event. Ignores events of other agents. */
  take(event: AgentEvent): void {
    if (event.agent !== this.#agent) return
    if (event.type === 'block_delta') this.#grow(event.block, event.text)
    else if (event.type === 'block_start') this.#start(event.block, event.kind)
    else if (event.type === 'block_end') this.#end(event)
    else this.#change(event.type)
  }

  #start(block: number, kind: BlockKind): void {
    if (kind === 'text') this.#open.set(block, { text: '', pieces: [], isListed: false })
    else this.#open.delete(block)
  }

  #grow(block: number, text: string): void {
    const part = this.#open.get(block)
    if (part === undefined || text === '') return
    part.pieces.push(text)
    if (part.pieces.length >= MAX_PIECES) part.text += part.pieces.splice(0).join('')
    if (part.isListed) return
    part.isListed = true
    this.#parts.push(part)
  }

  #end(event: BlockEnd): void {
    this.#open.delete(event.block)
    // Text and thinking do not restart the answer.
    if (!isProse(event.kind) && !isCutCall(event)) this.#parts = []
  }

  #change(type: AgentEvent['type']): void {
    const row = traitsOfEvent(type)
    if (row?.beforeAnswer === true) this.#parts = []
    if (type === 'rollback') {
      this.#parts = this.#settled.slice()
      this.#open.clear()
    } else if (row?.step === 'boundary') this.#settled = this.#parts.slice()
  }
}

/** Checks for an interrupted call. It is not run, so the text before it remains the answer. */
function isCutCall({ kind, inputText }: BlockEnd): boolean {
  return kind.endsWith('call') && inputText !== undefined && isJsonPrefix(inputText)
}

/** Returns the final answer in messages. They lack blank text and text that a model did not finish. [LIFE-15] */
export function toFinalAnswer(
  messages: readonly { readonly role: string; readonly content: readonly JsonObject[] }[],
): string {
  const last = messages.at(-1)
  const content = last?.role === 'assistant' ? last.content : []
  return content
    .slice(content.findLastIndex((block) => !isProseBlock(block)) + 1)
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('')
}

function isProseBlock({ type }: JsonObject): boolean {
  return type === 'text' || isThought({ type: String(type) })
}
