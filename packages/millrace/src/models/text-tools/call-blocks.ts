import { parseJsonObject } from '../../json/index.ts'
import type { SegmentStart } from '../../segments/index.ts'
import type { AnswerBlocks } from './answer-blocks.ts'
import type { OpenBlock } from '../stream/index.ts'

/** A call found in text. */
export interface FoundCall {
  readonly name: string
  readonly segmentId: string
  /** The id that the model wrote, if its format has ids. */
  readonly callId?: string
}

/** Creates the id of a call. */
export type CreateCallId = (call: FoundCall) => string

/** Writes calls found in text as blocks. */
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

/** Returns the call of a segment. */
export function toFoundCall(start: SegmentStart, name = nameOf(start)): FoundCall {
  const { call_id: callId } = start.payload.metadata
  const found = { name, segmentId: start.segment_id }
  return typeof callId === 'string' && callId !== '' ? { ...found, callId } : found
}

function nameOf({ payload }: SegmentStart): string {
  const { tool_name: name } = payload.metadata
  return typeof name === 'string' ? name : ''
}
