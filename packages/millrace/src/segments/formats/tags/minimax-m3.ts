import type { CallWriter } from '../../calls/call-writer.ts'
import { code } from '../../characters.ts'
import { Marker, MarkerSet } from '../../engine/scan/marker.ts'
import type { Reader, Reading } from '../../engine/reader.ts'
import { Scan } from '../../engine/scan/scan.ts'
import type { FormatBlock } from '../../format.ts'
import { LiteralField, readWord } from '../literals/literal-arguments.ts'
import { combine, inSection } from '../combine.ts'
import { think } from './think.ts'

/** The text before every tag, which no value contains. */
const SIGN = ']<]minimax[>['
const CALLS_END = `${SIGN}</tool_call>`
const CALL_END = `${SIGN}</invoke>`

const open = new Marker(`${SIGN}<`, { tail: 'name' })
const close = new Marker(`${SIGN}</`)
const callEnd = new Marker(CALL_END)
/** Markers that end a call that was not closed. */
const parents = [new Marker(CALLS_END), new Marker(`${SIGN}<invoke `)]
const between = new MarkerSet([open, callEnd, ...parents])
const inside = new MarkerSet([open, close, callEnd, ...parents])

const call: FormatBlock = {
  open: { tag: 'invoke', prefix: `${SIGN}<`, require: ['name'] },
  control: true,
  orphans: [CALL_END],
  body: {
    *custom(reader, { attributes, selfClosing }) {
      reader.accept()
      const writer = reader.call({ name: attributes.get('name') ?? '', body: 'fields' })
      const elements = new ElementsReader(reader, writer)
      if (selfClosing === true) writer.end()
      else while (yield* elements.readNext());
      return true
    },
  },
}

/** MiniMax M3: a sign before every tag, parameters as tags of their name, with nested tags for objects and lists. */
export const minimaxM3 = combine(
  'minimax-m3',
  think({ open: '<mm:think>', close: '</mm:think>' }),
  ...inSection(call, { open: { literal: `${SIGN}<tool_call>` }, control: true }, CALLS_END),
)

class ElementsReader {
  readonly #reader: Reader
  readonly #call: CallWriter
  #isMalformed = false

  constructor(reader: Reader, writer: CallWriter) {
    this.#reader = reader
    this.#call = writer
  }

  /** Reads one parameter; returns false once the call has ended. */
  *readNext(): Reading<boolean> {
    const reader = this.#reader
    const marker = yield* reader.passUntil(between)
    if (marker === open) return (yield* this.#readElement()) || this.#end({ complete: false })
    if (marker === undefined) return this.#end({ complete: false })
    if (marker === callEnd) reader.position = reader.matchEnd
    reader.accept()
    return this.#end(this.#isMalformed ? { malformed: true } : {})
  }

  #end(payload: Parameters<CallWriter['end']>[0]): false {
    this.#call.end(payload)
    return false
  }

  /** Reads `<name>` and its content; returns false if the stream ended in it. */
  *#readElement(): Reading<boolean> {
    const reader = this.#reader
    reader.position += open.stem.length
    const name = yield* readWord(reader)
    const isTag = (yield* reader.peek()) === code.greater
    if (isTag) reader.position++
    reader.accept()
    if (!isTag) return reader.position < reader.input.end
    const { position } = reader
    yield* reader.skipSpace()
    const isNested = (yield* reader.match([open])) !== undefined
    reader.position = position
    return isNested ? yield* this.#readNested(name) : yield* this.#readText(name)
  }

  *#readText(name: string): Reading<boolean> {
    this.#call.beginField(name)
    const sink = { text: (piece: string) => this.#call.fieldText(piece) }
    const marker = yield* this.#reader.passUntil(inside, sink)
    if (marker === undefined) return false
    this.#call.endField()
    return yield* this.#leave(marker)
  }

  /** Holds nested elements until all of them are complete. */
  *#readNested(name: string): Reading<boolean> {
    const { limits } = this.#reader
    const field = new LiteralField(this.#call, name, limits)
    const scan = new Scan(inside, field)
    scan.start(this.#reader.position)
    for (let depth = 1; depth > 0;) {
      yield scan
      const [marker] = scan.found
      if (marker === open) depth++
      else depth = marker === close ? depth - 1 : 0
      if (depth > 0) scan.reject()
    }
    this.#reader.position = scan.foundAt
    const [marker] = scan.found
    if (marker === undefined) {
      field.cut()
      return false
    }
    const isWhole = field.end((text) => toElementsJson(text, SIGN, limits.maxDepth))
    if (!isWhole) this.#isMalformed = true
    return yield* this.#leave(marker)
  }

  /** Reads the closing tag; any other tag stays, and the parameter ends without its own. */
  *#leave(marker: Marker): Reading<true> {
    const reader = this.#reader
    if (marker === close) {
      reader.position += close.stem.length
      yield* readWord(reader)
      if ((yield* reader.peek()) === code.greater) reader.position++
    }
    reader.accept()
    return true
  }
}

interface Element {
  readonly name: string
  readonly children: Element[]
  text: string
}

const TAG = /^<(?<slash>\/?)(?<name>[^\s<>/]+)>(?<text>[^]*)$/

/**
 * Converts elements whose tags have a sign before them to JSON text: a list if all are `item`, otherwise an
 * object, in which repeated names make a list. Returns undefined if tags do not match or text is between them.
 */
export function toElementsJson(text: string, sign: string, maxDepth: number): string | undefined {
  const [lead = '', ...parts] = text.split(sign)
  const root: Element = { name: '', children: [], text: lead }
  const path = [root]
  for (const part of parts) {
    const { slash, name = '', text: after = '' } = TAG.exec(part)?.groups ?? {}
    if (name === '' || path.length > maxDepth) return undefined
    if (slash === '') {
      const element: Element = { name, children: [], text: after }
      path.at(-1)?.children.push(element)
      path.push(element)
    } else {
      if (path.pop()?.name !== name) return undefined
      const parent = path.at(-1)
      if (parent !== undefined) parent.text += after
    }
  }
  return path.length === 1 ? toJson(root) : undefined
}

function toJson({ children, text }: Element): string | undefined {
  if (children.length === 0) return JSON.stringify(text)
  if (text.trim() !== '') return undefined
  const values = children.map((child) => ({ name: child.name, json: toJson(child) }))
  if (values.some(({ json }) => json === undefined)) return undefined
  const groups = new Map<string, string[]>()
  for (const { name, json = '' } of values) {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [json])
    else group.push(json)
  }
  const items = groups.get('item')
  if (items?.length === children.length) return `[${items.join(',')}]`
  const pairs = [...groups].map(([name, all]) => `${JSON.stringify(name)}:${toList(all)}`)
  return `{${pairs.join(',')}}`
}

function toList(all: readonly string[]): string {
  return all.length === 1 ? (all[0] ?? '') : `[${all.join(',')}]`
}
