import type { CallStart, CallWriter, CallWriterOptions } from './calls/call-writer.ts'
import { createCallWriter } from './calls/create-call-writer.ts'
import type { SegmentLimits } from './limits.ts'
import type { SegmentEmitter } from './segment-emitter.ts'
import { SurrogateJoiner } from './characters.ts'
import type { JsonObject } from '../json/index.ts'
import { JsonScanner } from './calls/json-scanner.ts'
import type { SegmentEndPayload } from './segment-event.ts'

/** A provider's delta of one call: id and name once, the arguments in chunks. */
export interface NativeCallDelta {
  /** The index of the call in its message; default: 0. */
  readonly index?: number | null
  readonly call_id?: string | null
  readonly name?: string | null
  /** Arguments as JSON text, cut anywhere. */
  readonly arguments_delta?: string | null
  /** The same three fields in the format of chat completions. */
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null
}

/** A provider's delta; reasoning precedes content, and both precede calls. */
export interface NativeDelta {
  readonly reasoning?: string | null
  readonly content?: string | null
  readonly tool_calls?: readonly NativeCallDelta[] | null
}

interface NativeCallReaderOptions extends Pick<
  CallWriterOptions,
  'emitter' | 'limits' | 'projections'
> {
  /** Called with arguments that belong to no open call: their call has ended, or exceeded the limit. */
  readonly onIgnored?: (text: string) => void
}

/** Converts native deltas of a provider to the same events as parsed text. */
export class NativeCallReader {
  readonly #options: NativeCallReaderOptions
  readonly #text: NativeText
  /** The current call of each index, ended or not. */
  readonly #byIndex = new Map<number, NativeCall>()
  /** The calls that have not ended, in the order of their start. */
  readonly #open = new Set<NativeCall>()
  /** The open calls with complete arguments: they end when another kind of content follows. */
  readonly #whole = new Set<NativeCall>()
  readonly #usedIds = new Set<string>()
  #count = 0

  constructor(options: NativeCallReaderOptions) {
    this.#options = options
    this.#text = new NativeText(options.emitter)
  }

  feed(delta: NativeDelta): void {
    this.#write('reasoning', toText(delta.reasoning))
    this.#write('text', toText(delta.content))
    for (const call of delta.tool_calls ?? []) this.#takeCall(call)
  }

  /** Ends open text and reasoning, and calls with complete arguments, because another kind of content follows. */
  settle(): void {
    this.#endWhole()
    this.#text.close()
  }

  /** Closes open segments; a call with incomplete arguments ends with `complete: false`. */
  finalize(): void {
    this.#text.close()
    for (const call of this.#open) this.#end(call)
  }

  #write(type: 'text' | 'reasoning', piece: string): void {
    if (piece === '') return
    this.#endWhole()
    this.#text.write(type, piece)
  }

  #takeCall(delta: NativeCallDelta): void {
    const text = toText(delta.arguments_delta ?? delta.function?.arguments)
    const call = this.#findCall(delta, text)
    if (text === '') return
    if (call === undefined || call.ended) this.#options.onIgnored?.(text)
    else this.#feedCall(call, text)
  }

  /** Returns the call that a delta belongs to, which may begin with it; undefined if there is none. */
  #findCall(delta: NativeCallDelta, text: string): NativeCall | undefined {
    const index = delta.index ?? 0
    const known = this.#byIndex.get(index)
    const name = toText(delta.name ?? delta.function?.name)
    const piece = { callId: toText(delta.call_id ?? delta.id), name }
    const isNamed = piece.callId !== '' || piece.name !== ''
    if (!isNamed && (known !== undefined || text === '')) return known
    const isNew = known === undefined || isAnother(known, piece, text)
    const call = isNew ? this.#begin(index) : known
    call?.identify(piece)
    return call
  }

  #begin(index: number): NativeCall | undefined {
    const previous = this.#byIndex.get(index)
    if (previous !== undefined) this.#end(previous)
    this.#byIndex.delete(index)
    if (this.#count >= this.#options.limits.maxCalls) return undefined
    this.#count++
    this.settle()
    const call = new NativeCall(this.#options.limits, (start) => this.#createWriter(start))
    this.#byIndex.set(index, call)
    this.#open.add(call)
    return call
  }

  #createWriter({ callId, name }: NativeCallName): CallWriter {
    const { emitter, projections, limits } = this.#options
    const isFree = callId !== '' && !this.#usedIds.has(callId)
    if (isFree) this.#usedIds.add(callId)
    const call: CallStart = {
      name,
      ...(isFree && { segmentId: callId }),
      ...(!isFree && callId !== '' && { metadata: { call_id: callId } }),
    }
    const onStart = (): void => this.#text.close()
    return createCallWriter({ emitter, call, projections, limits, onStart, isChecked: true })
  }

  #feedCall(call: NativeCall, text: string): void {
    this.#endWhole(call)
    call.feed(text)
    if (call.isComplete) this.#whole.add(call)
    else this.#whole.delete(call)
  }

  #endWhole(except?: NativeCall): void {
    if (this.#whole.size === 0) return
    for (const call of this.#whole) if (call !== except) this.#end(call)
  }

  #end(call: NativeCall): void {
    this.#whole.delete(call)
    this.#open.delete(call)
    call.end()
  }
}

/**
 * Checks whether a delta begins another call than the current one of its index: some servers give every call index
 * 0, and some of those no id.
 */
function isAnother(call: NativeCall, { callId, name }: NativeCallName, text: string): boolean {
  if (callId !== '' && call.callId !== '') return callId !== call.callId
  if (callId !== '')
    return call.isComplete || (name !== '' && call.name !== '' && name !== call.name)
  if (call.name === '') return false
  return call.isComplete && name !== '' && (name !== call.name || text.trimStart().startsWith('{'))
}

function toText(value: string | null | undefined): string {
  return typeof value === 'string' ? value : ''
}

type TextType = 'text' | 'reasoning'

/** Writes text and reasoning as segments that are open until another kind of content follows. */
class NativeText {
  readonly #emitter: SegmentEmitter
  readonly #pairs = new SurrogateJoiner()
  #type: TextType | undefined
  #id: string | undefined

  constructor(emitter: SegmentEmitter) {
    this.#emitter = emitter
  }

  write(type: TextType, piece: string): void {
    if (this.#type !== type) this.close()
    this.#type = type
    this.#emit(type, this.#pairs.take(piece))
  }

  close(): void {
    if (this.#type !== undefined) this.#emit(this.#type, this.#pairs.flush())
    if (this.#id !== undefined) this.#emitter.end(this.#id)
    this.#type = undefined
    this.#id = undefined
  }

  #emit(type: TextType, text: string): void {
    if (text === '') return
    this.#id ??= this.#emitter.start(type, {})
    this.#emitter.content(this.#id, text)
  }
}

/** The id and name of a provider's call; each is empty until it is known. */
interface NativeCallName {
  readonly callId: string
  readonly name: string
}

const UNKNOWN: NativeCallName = { callId: '', name: '' }

/** One call of a provider: starts when its name is known, or when too many arguments are held. */
class NativeCall {
  ended = false
  readonly #limits: SegmentLimits
  readonly #createWriter: (start: NativeCallName) => CallWriter
  readonly #scanner: JsonScanner
  readonly #pairs = new SurrogateJoiner()
  #known = UNKNOWN
  /** The id and name that were known when the segment started. */
  #started = UNKNOWN
  #writer: CallWriter | undefined
  #held = ''

  constructor(limits: SegmentLimits, createWriter: (start: NativeCallName) => CallWriter) {
    this.#limits = limits
    this.#createWriter = createWriter
    this.#scanner = new JsonScanner(limits.maxDepth)
  }

  get callId(): string {
    return this.#known.callId
  }

  get name(): string {
    return this.#known.name
  }

  get isComplete(): boolean {
    return this.#scanner.status === 'complete'
  }

  /** Sets id and name; the first of each counts. */
  identify({ callId, name }: NativeCallName): void {
    this.#known = { callId: this.callId || callId, name: this.name || name }
    if (this.#writer === undefined && this.name !== '') this.#start()
  }

  /** Reads more of the arguments, cut anywhere. */
  feed(text: string): void {
    this.#scanner.feed(text)
    this.#pass(this.#pairs.take(text))
  }

  end(): void {
    if (this.ended) return
    this.ended = true
    this.#scanner.finish()
    this.#pass(this.#pairs.flush())
    const writer = this.#writer ?? this.#start()
    writer.end(this.#endPayload())
  }

  #endPayload(): SegmentEndPayload {
    const { status } = this.#scanner
    const metadata = this.#lateMetadata()
    return {
      ...(status !== 'complete' && status !== 'blank' && { complete: false }),
      ...(this.name === '' && { malformed: true }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    }
  }

  #lateMetadata(): JsonObject {
    return {
      ...(this.callId !== this.#started.callId && { call_id: this.callId }),
      ...(this.name !== this.#started.name && { tool_name: this.name }),
    }
  }

  #pass(text: string): void {
    if (this.#writer !== undefined) return this.#writer.json(text)
    this.#held += text
    if (this.#held.length > this.#limits.maxHeld) this.#start()
  }

  #start(): CallWriter {
    const writer = this.#createWriter(this.#known)
    this.#writer = writer
    this.#started = this.#known
    writer.json(this.#held)
    this.#held = ''
    return writer
  }
}
