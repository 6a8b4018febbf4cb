import type { CallWriter } from '../../calls/call-writer.ts'
import type { CallsBody } from '../../format.ts'
import type { BodyReader } from '../block.ts'
import {
  beginsArguments,
  passArguments,
  type Closing,
  compileClosing,
  takeCloser,
} from './arguments-body.ts'
import { code } from '../../characters.ts'
import { parseJsonOr, createPartialJson } from '../../../json/index.ts'
import { callShapes, findCallName } from '../../invocations/call-shapes.ts'
import { JsonScan } from '../scan/json-scan.ts'
import { Marker } from '../scan/marker.ts'
import type { Reader, Reading } from '../reader.ts'

const callKeys = {
  name: new Set([...callShapes.ownNames, ...callShapes.commonNames]),
  arguments: new Set(callShapes.arguments),
  wrapper: new Set(callShapes.wrappers),
  list: new Set(callShapes.lists),
  id: new Set(callShapes.ids),
}

/** Compiles JSON that contains the tool's name. */
export function compileCalls(body: CallsBody): BodyReader {
  const closing = compileClosing(body.close, body.endsBefore)
  const separators = (body.separators ?? []).map((text) => new Marker(text))
  return function* (reader) {
    const calls = new CallsReader(reader, closing, body.nameIsKey ?? false)
    yield* calls.readValue(0)
    if (!calls.committed) return false
    const between = closing.close.length > 0 ? [...separators, ...listStarts] : separators
    while (calls.mayContinue && (yield* takeSeparator(reader, between))) {
      yield* calls.readValue(0)
    }
    if (calls.isCut) reader.position = reader.input.end
    yield* takeCloser(reader, closing)
    return true
  }
}

/** Before a closing marker, calls may follow each other without a separator. */
const listStarts = [new Marker('{')]

/** Reads a separator if another value follows it. */
function* takeSeparator(reader: Reader, separators: readonly Marker[]): Reading<boolean> {
  if (separators.length === 0) return false
  const { position } = reader
  yield* reader.skipSpace()
  const found = yield* reader.match(separators)
  if (found !== undefined) {
    if (!listStarts.includes(found)) reader.position = reader.matchEnd
    if ((yield* reader.skipSpace()) === code.openBrace) {
      reader.accept()
      return true
    }
  }
  reader.position = position
  return false
}

interface CallState {
  name: string
  id: string | undefined
  /** The id that was known when the call began. */
  startId: string | undefined
  call: CallWriter | undefined
  /** The call has already ended, because its arguments were invalid, or is not a call, because it contains calls. */
  ended: boolean
  /** The value of the arguments key is not an object or a string. */
  hasInvalidArguments: boolean
  /** Arguments before the name. */
  heldArguments: string | undefined
}

/** Walks JSON and streams the arguments of its calls; each method returns false at invalid JSON. */
class CallsReader {
  /** The stream ended inside the JSON. */
  isCut = false
  readonly #reader: Reader
  readonly #closing: Closing
  readonly #nameIsKey: boolean
  /** Number of calls that have begun. */
  #begun = 0

  constructor(reader: Reader, closing: Closing, nameIsKey: boolean) {
    this.#reader = reader
    this.#closing = closing
    this.#nameIsKey = nameIsKey
  }

  /** A call has begun: from here on all text is accepted. */
  get committed(): boolean {
    return this.#begun > 0
  }

  /** Another call may follow. */
  get mayContinue(): boolean {
    return !this.isCut && !this.#reader.output.isFull
  }

  /** Reads a call, or a list of them. */
  *readValue(depth: number): Reading<boolean> {
    const unit = yield* this.#skip()
    if (depth > this.#reader.limits.maxDepth) return false
    if (unit === code.openBracket) return yield* this.#readList(depth)
    if (unit !== code.openBrace) return yield* this.#passValue()
    const state: CallState = {
      name: '',
      id: undefined,
      startId: undefined,
      call: undefined,
      ended: false,
      hasInvalidArguments: false,
      heldArguments: undefined,
    }
    const isWhole = yield* this.#readObject(state, depth)
    const isRepaired = !isWhole && (yield* this.#isAtCloser())
    this.#endCall(state, isWhole, isRepaired)
    return isWhole
  }

  /** Checks whether only brackets are missing here, which the closing marker replaces. */
  *#isAtCloser(): Reading<boolean> {
    if (this.isCut || !this.committed) return false
    return (yield* this.#reader.match(this.#closing.all)) !== undefined
  }

  *#readList(depth: number): Reading<boolean> {
    this.#reader.position++
    if ((yield* this.#skip()) === code.closeBracket) return this.#step()
    for (;;) {
      if (!(yield* this.readValue(depth + 1))) return false
      const unit = yield* this.#skip()
      if (unit === code.closeBracket) return this.#step()
      if (unit !== code.comma || this.#reader.output.isFull) return false
      this.#step()
    }
  }

  *#readObject(state: CallState, depth: number): Reading<boolean> {
    this.#reader.position++
    if ((yield* this.#skip()) === code.closeBrace) return this.#step()
    for (;;) {
      if (!(yield* this.#readMember(state, depth))) return false
      const unit = yield* this.#skip()
      if (unit === code.closeBrace) return this.#step()
      if (unit !== code.comma || (this.#nameIsKey && this.#reader.output.isFull)) return false
      this.#step()
    }
  }

  *#readMember(state: CallState, depth: number): Reading<boolean> {
    if ((yield* this.#skip()) !== code.quote) return false
    const key = yield* this.#readString()
    if (key === undefined || (yield* this.#skip()) !== code.colon) return false
    this.#step()
    const unit = yield* this.#skip()
    if (this.#nameIsKey && depth <= 1) return yield* this.#readNamed(key, state)
    if (unit === code.quote && callKeys.name.has(key) && state.name === '')
      return yield* this.#readNameOf(state)
    if (unit === code.quote && callKeys.id.has(key)) return yield* this.#readIdOf(state)
    if (state.call !== undefined || depth >= this.#reader.limits.maxDepth)
      return yield* this.#passValue()
    if (unit === code.openBrace && callKeys.wrapper.has(key))
      return yield* this.#readObject(state, depth + 1)
    if (unit === code.openBracket && callKeys.list.has(key))
      return yield* this.#readListOf(state, depth)
    if (callKeys.arguments.has(key) && beginsArguments(unit))
      return yield* this.#readArguments(state)
    state.hasInvalidArguments ||= callKeys.arguments.has(key) && unit !== FIRST_OF_NULL
    return yield* this.#passValue()
  }

  /** An object that contains a list of calls is not itself a call. */
  *#readListOf(state: CallState, depth: number): Reading<boolean> {
    const before = this.#begun
    const isWhole = yield* this.#readList(depth + 1)
    state.ended ||= this.#begun > before
    return isWhole
  }

  /** Reads an object in which each key is a call. */
  *#readNamed(key: string, state: CallState): Reading<boolean> {
    this.#endCall(state, true)
    state.call = undefined
    state.name = key
    return yield* this.#readArguments(state)
  }

  *#readNameOf(state: CallState): Reading<boolean> {
    const name = yield* this.#readString()
    if (name === undefined) return false
    state.name = name
    if (state.heldArguments === undefined || name === '') return true
    const call = this.#begin(state)
    call.json(state.heldArguments)
    state.heldArguments = undefined
    return true
  }

  *#readIdOf(state: CallState): Reading<boolean> {
    const id = yield* this.#readString()
    state.id = id ?? state.id
    return id !== undefined
  }

  *#readArguments(state: CallState): Reading<boolean> {
    const reader = this.#reader
    if (state.name === '') {
      const { position } = reader
      if (!(yield* this.#lookValue())) return false
      state.heldArguments = decodeHeldArguments(reader.input.slice(position, reader.position))
      return true
    }
    const call = this.#begin(state)
    if (yield* passArguments(reader, call, this.#closing)) return true
    state.ended = true
    return false
  }

  #begin(state: CallState): CallWriter {
    this.#reader.accept()
    this.#begun++
    const { name, id } = state
    state.startId = id
    state.call = this.#reader.call({ name, ...(id !== undefined && { metadata: { call_id: id } }) })
    return state.call
  }

  #endCall(state: CallState, isWhole: boolean, isRepaired = false): void {
    if (state.ended || state.name === '') return
    if (!isWhole && !this.committed) return
    const isBroken = state.hasInvalidArguments || (!isWhole && state.call === undefined)
    const call = state.call ?? this.#begin(state)
    const late = state.id === state.startId ? undefined : { metadata: { call_id: state.id ?? '' } }
    if (this.isCut) call.end({ ...late, complete: false })
    else if (isBroken) call.end({ ...late, malformed: true })
    else call.end(isRepaired ? { ...late, repaired: true } : late)
    if (isWhole) this.#reader.accept()
  }

  *#readString(): Reading<string | undefined> {
    const reader = this.#reader
    const start = reader.position
    const { maxDepth, maxHeader } = reader.limits
    const scan = new JsonScan({ use: 'look', maxDepth, maxLook: maxHeader }, start)
    yield scan
    this.isCut ||= scan.outcome === 'cut'
    if (scan.outcome !== 'complete') return undefined
    reader.position = scan.position
    return parseString(reader.input.slice(start, scan.position))
  }

  *#passValue(): Reading<boolean> {
    if (!this.committed) return yield* this.#lookValue()
    this.#reader.accept()
    return yield* this.#scan('drop')
  }

  *#lookValue(): Reading<boolean> {
    return yield* this.#scan('look')
  }

  *#scan(use: 'drop' | 'look'): Reading<boolean> {
    const reader = this.#reader
    const { maxDepth, maxHeld: maxLook } = reader.limits
    const scan = new JsonScan({ use, maxDepth, maxLook }, reader.position)
    yield scan
    reader.position = scan.position
    this.isCut ||= scan.outcome === 'cut'
    return scan.outcome === 'complete'
  }

  /** Returns the unit after white space; -1 also if the probe limit is reached without a call. */
  *#skip(): Reading<number> {
    const { input, limits } = this.#reader
    if (this.#reader.position - input.consumed > limits.maxHeld) return -1
    const unit = yield* this.#reader.skipSpace(limits.maxHeader)
    this.isCut ||= unit === -1 && this.#reader.position >= input.end
    return unit
  }

  #step(): true {
    this.#reader.position++
    if (this.committed) this.#reader.accept()
    return true
  }
}

/** The first letter of `null`, which stands for no arguments. */
const FIRST_OF_NULL = 0x6e

function parseString(json: string): string | undefined {
  const value = parseJsonOr(json, undefined)
  return typeof value === 'string' ? value : undefined
}

/** Decodes arguments that are JSON in a string. */
function decodeHeldArguments(json: string): string {
  return json.startsWith('"') ? (parseString(json) ?? json) : json
}

/** Maximum depth of a call. Every bracket in `{"a":{"a":{` may begin a call, and is probed to this depth. */
const MAX_DEPTH = 16

/** Characters at which the structure of a value can change, outside strings. */
const STRUCTURE = '"{}[],:'

/**
 * Looks ahead in JSON for the name of its first call, until the name and the key of its arguments are found;
 * returns undefined if it is not a call, or none within `limits.maxProbe`.
 */
export function* probeCall(reader: Reader): Reading<string | undefined> {
  const json = createPartialJson({ maxDepth: Math.min(MAX_DEPTH, reader.limits.maxDepth) })
  const limit = reader.position + reader.limits.maxProbe
  let inString = false
  while (reader.position < limit) {
    const unit = yield* reader.peek()
    if (unit === -1) return undefined
    const char = String.fromCharCode(unit)
    if (inString && unit === code.backslash) {
      json.feed(char)
      reader.position++
      const next = yield* reader.peek()
      if (next === -1) return undefined
      json.feed(String.fromCharCode(next))
    } else {
      json.feed(char)
      if (unit === code.quote) inString = !inString
    }
    reader.position++
    if (json.status === 'failed') return undefined
    if (inString || !STRUCTURE.includes(char)) continue
    const name = findCallName(json.value, { whole: json.status === 'complete' })
    if (name !== undefined) return name
    if (json.status === 'complete') return undefined
  }
  return undefined
}
