import type { JsonObject } from '../../json/index.ts'
import type {
  CitationEvent,
  CollectedCall,
  CollectedProse,
  CollectedResult,
} from '../../events/index.ts'
import type { FormatFrame } from '../port/index.ts'
import { BlockQueue, type HeldCall, type QueuedBlock } from './block-queue.ts'
import {
  toBlockDelta,
  toBlockStart,
  toBlockStop,
  toCitation,
  toErrorFrame,
  toInputJson,
  toMessageEnd,
  toMessageStart,
  toOwnResult,
  toServerResult,
} from './message-frames.ts'

interface MessageWriterOptions {
  readonly serverName: string
  readonly maxHeldLength: number
}

/** JSON to start a text or thinking block, and the type of its deltas. */
interface ProseForm {
  readonly start: string
  readonly delta: string
  readonly field: string
}

const proseForms: Readonly<Record<string, ProseForm>> = {
  text: {
    start: '{"type":"text","text":"","citations":null}',
    delta: 'text_delta',
    field: 'text',
  },
  thinking: {
    // Its signature stays on the server. [MAP-2]
    start: '{"type":"thinking","thinking":"","signature":""}',
    delta: 'thinking_delta',
    field: 'thinking',
  },
  redacted: { start: '{"type":"redacted_thinking","data":""}', delta: '', field: '' },
}

interface OpenProse {
  readonly form: ProseForm
  readonly slot: QueuedBlock
}

const truncated: JsonObject = {
  type: 'api_error',
  message: 'The stream ended before its message. Request it again.',
  code: 'stream_truncated',
}

const NO_FORM: ProseForm = { start: '', delta: '', field: '' }
const DIRECT = '"caller":{"type":"direct"}'

/** Writes messages of the Messages API one after the other, with one open block at a time. */
export class MessageWriter {
  readonly #createId: () => string
  readonly #options: MessageWriterOptions
  readonly #queue: BlockQueue
  readonly #prose = new Map<string, OpenProse>()
  #frames: FormatFrame[] = []
  #model = ''
  #isOpen = false
  /** Whether an error ended this message, so that nothing more of it is written. */
  #hasFailed = false

  constructor(createId: () => string, options: MessageWriterOptions) {
    this.#createId = createId
    this.#options = options
    this.#queue = new BlockQueue((frame) => void this.#frames.push(frame), options.maxHeldLength)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  take(): readonly FormatFrame[] {
    const taken = this.#frames
    this.#frames = []
    return taken
  }

  begin(model: string): void {
    this.#model = model
    this.#hasFailed = false
    this.#open()
  }

  addProse(piece: CollectedProse): void {
    const { text, block, start, end, citations = [] } = piece
    if (!this.#hasFailed && (start || text !== '')) {
      const { form, slot } = this.#proseOf(piece)
      if (form.delta !== '' && text !== '')
        slot.add(toBlockDelta(slot.index, form.delta, form.field, text))
    }
    if (end) this.#closeProse(block, citations)
  }

  #closeProse(block: string, citations: readonly CitationEvent[]): void {
    const open = this.#prose.get(block)
    this.#prose.delete(block)
    if (open === undefined) return
    const { slot } = open
    for (const one of citations) {
      slot.add(toBlockDelta(slot.index, 'citations_delta', 'citation', toCitation(one)))
    }
    slot.close(toBlockStop(slot.index))
  }

  /** Writes a call that the reader must answer. */
  addWaitingCall({ callId: id, name, input }: HeldCall): void {
    this.#addCall(`${headOf('tool_use', id, name)},${DIRECT},"input":{}}`, input)
  }

  /** Writes a call that the server executes as a call of a remote server, which readers do not execute. */
  addRunCall({ callId: id, name, input }: HeldCall): void {
    this.#addRemoteCall({ id, name, server: this.#options.serverName, input })
  }

  /** Writes a call that the provider has executed. */
  addServerCall({ callId: id, name, serverName: server, input = '' }: CollectedCall): void {
    if (server !== undefined) return this.#addRemoteCall({ id, name, server, input })
    this.#addCall(`${headOf('server_tool_use', id, name)},${DIRECT},"input":{}}`, input)
  }

  addResult(result: CollectedResult): void {
    this.#addWhole(toOwnResult(result))
  }

  addServerResult(result: CollectedResult): void {
    this.#addWhole(toServerResult(result))
  }

  end(stopReason: string, usage: JsonObject): void {
    if (!this.#hasFailed) {
      this.#open()
      this.#closeAll()
      this.#frames.push(...toMessageEnd(stopReason, usage))
    }
    this.#reset()
  }

  /** Ends the message with an error; the rest of the message is dropped. */
  fail(info: JsonObject): void {
    if (this.#hasFailed) return
    this.abandon(info)
    this.#hasFailed = true
  }

  /** Ends the message with an error; further output starts another message. */
  abandon(info: JsonObject): void {
    if (this.#hasFailed) return
    this.#closeAll()
    this.#frames.push(toErrorFrame(info))
    this.#reset()
  }

  /** Ends a message that the log has left open. */
  cut(): void {
    if (this.#isOpen) this.fail(truncated)
  }

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#frames.push(toMessageStart(this.#createId(), this.#model))
  }

  #reset(): void {
    this.#isOpen = false
    this.#hasFailed = false
    this.#prose.clear()
    this.#queue.clear()
  }

  #closeAll(): void {
    for (const { slot } of this.#prose.values()) slot.close(toBlockStop(slot.index))
    this.#prose.clear()
  }

  #proseOf({ type, block, fields }: CollectedProse): OpenProse {
    const known = this.#prose.get(block)
    if (known !== undefined) return known
    this.#open()
    const slot = this.#queue.open()
    const form = proseForms[fields['redacted'] === true ? 'redacted' : type] ?? NO_FORM
    slot.add(toBlockStart(slot.index, form.start))
    const open = { form, slot }
    this.#prose.set(block, open)
    return open
  }

  /** Writes a call with its arguments in its start, because some readers do not read those of remote servers from deltas. */
  #addRemoteCall(call: {
    readonly id: string
    readonly name: string
    readonly server: string
    readonly input: string
  }): void {
    const { id, name, server, input } = call
    const head = headOf('mcp_tool_use', id, name)
    this.#addWhole(`${head},"server_name":${JSON.stringify(server)},"input":${toInputJson(input)}}`)
  }

  #addCall(start: string, input: string): void {
    this.#addWhole(start, toInputJson(input))
  }

  #addWhole(content: string, inputJson?: string): void {
    if (this.#hasFailed) return
    this.#open()
    const slot = this.#queue.open()
    const { index } = slot
    slot.add(toBlockStart(index, content))
    if (inputJson !== undefined) {
      slot.add(toBlockDelta(index, 'input_json_delta', 'partial_json', inputJson))
    }
    slot.close(toBlockStop(index))
  }
}

/** Returns the beginning of a call, before its further fields. */
function headOf(type: string, id: string, name: string): string {
  return JSON.stringify({ type, id, name }).slice(0, -1)
}
