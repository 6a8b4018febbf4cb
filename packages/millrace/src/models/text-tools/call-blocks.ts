import { type JsonObject, parseJsonObject } from '../../json/index.ts'
import type { SegmentStart } from '../../segments/index.ts'
import { type OpenBlock, OpenBlocks, type Prose } from '../stream/index.ts'
import type { ContentBlock } from '../../events/index.ts'

/** Writes the blocks of an answer in which calls may be text. */
export class AnswerBlocks extends OpenBlocks {
  #prose: OpenBlock | undefined
  /** White space at the start of a text; alone it is no text. */
  #space = ''
  /** Sources of the open or next text. */
  #citations: JsonObject[] = []

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
    this.end(open, this.#toProse(open))
  }

  close(): ReturnType<OpenBlocks['closeWith']> {
    return this.closeWith((open) => this.#toProse(open))
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

  #emitCitation({ block }: OpenBlock, citation: JsonObject): void {
    this.emit({ type: 'block_citation', block, citation })
  }

  /** Creates the final block, with the sources if it is a text. */
  #toProse({ kind, start, text }: OpenBlock): ContentBlock {
    const block = { ...start, [start.type]: text }
    const citations = kind === 'text' ? this.#citations.splice(0) : []
    return citations.length === 0 ? block : { ...block, citations }
  }
}

/** A call found in text. */
export interface FoundCall {
  readonly name: string
  readonly segmentId: string
  /** The id that the model wrote, if its format has ids. */
  readonly callId?: string
}

/** Creates the id of a call. */
export type CreateCallId = (call: FoundCall) => string

/** Writes the calls that a text contains as blocks of a message. */
export class CallBlocks {
  hasEnded = false
  readonly #blocks: AnswerBlocks
  readonly #createId: CreateCallId

  constructor(blocks: AnswerBlocks, createId: CreateCallId) {
    this.#blocks = blocks
    this.#createId = createId
  }

  open(call: FoundCall): OpenBlock {
    this.#blocks.endProse()
    const { name } = call
    const start = { type: 'tool_use', id: this.#createId(call), name, input: {} }
    return this.#blocks.open('tool_call', start)
  }

  append(open: OpenBlock, json: string): void {
    this.#blocks.append(open, json)
  }

  /** Ends a call, and adds a notice if its arguments are not an object. */
  end(open: OpenBlock): void {
    this.hasEnded = true
    if (open.text.trim() === '') this.#blocks.append(open, '{}')
    const { start, text } = open
    const input = parseJsonObject(text)
    if (input === undefined) {
      const message = `The input of ${String(start['name'])} is not a JSON object; its text is kept as the model wrote it.`
      this.#blocks.note(message)
    }
    this.#blocks.end(open, { ...start, input: input ?? {} }, text)
  }
}

/** Returns the name and ids of a call from the start of its segment. */
export function toFoundCall(start: SegmentStart, name = nameOf(start)): FoundCall {
  const { call_id: callId } = start.payload.metadata
  const found = { name, segmentId: start.segment_id }
  return typeof callId === 'string' && callId !== '' ? { ...found, callId } : found
}

function nameOf({ payload }: SegmentStart): string {
  const { tool_name: name } = payload.metadata
  return typeof name === 'string' ? name : ''
}
