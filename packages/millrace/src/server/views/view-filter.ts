import {
  blockKey,
  createEnvelopeDecoder,
  type DeltaContent,
  encodeEnvelope,
  type Envelope,
  traitsOf,
} from '../../events/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'
import { deltaStart, hasAt, type SpannedLine, toPlaceholder } from '../feeds/line-bytes.ts'
import { MemberFilter } from './member-filter.ts'
import { isPayload, type ViewRules } from './view-rules.ts'

interface HeldFrame extends LogEntry {
  readonly envelope: Envelope
}

/** A JSON block from which members are removed. */
interface OpenPayload {
  readonly key: string
  readonly members: MemberFilter
  /** Frames that wait for the end of a member name. */
  readonly held: HeldFrame[]
  hasContent: boolean
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Filters log frames by a view, for a reader with frames up to an id. Its input may begin earlier. */
export class ViewFilter {
  readonly #rules: ViewRules
  readonly #decode = createEnvelopeDecoder()
  /** The last line of each open block with hidden content. An identical line is not repeated. */
  readonly #emptied = new Map<string, string>()
  #payload: OpenPayload | undefined
  /** The bytes of the last line up to its delta, if they alone decide whether it is shown. */
  #head: Uint8Array | undefined
  #isHeadShown = false
  /** The last id that was sent to the reader. */
  #lastId: number

  constructor(rules: ViewRules, after: number) {
    this.#rules = rules
    this.#lastId = after
  }

  /** Takes the next frame; returns the resulting lines, also of frames that were held back. */
  take(entry: LogEntry): readonly SpannedLine[] {
    // Most lines begin like the one before, which decides them.
    if (this.#head !== undefined && hasAt(entry.line, this.#head, 0)) {
      return this.#isHeadShown ? this.#show(entry) : []
    }
    const envelope = this.#read(entry.line)
    // A line that cannot be parsed might reveal hidden content.
    if (envelope === undefined) return []
    const { type, agent } = envelope
    const left = this.#payload?.key === blockKey(envelope) ? [] : this.#endPayload()
    const isShown = !this.#rules.hidesType(type) && !this.#rules.hidesAgent(agent)
    const fields = this.#rules.fieldsOf(type)
    if (!isShown || fields.size === 0) {
      this.#remember(entry.line, isShown)
      return isShown ? [...left, ...this.#show(entry)] : left
    }
    this.#head = undefined
    const isWhole = fields.has('delta') || !isPayload(type)
    const frame = { ...entry, envelope }
    const shown = isWhole ? this.#takeEmptied(frame, fields) : this.#takePayload(frame, fields)
    return [...left, ...shown]
  }

  /** Creates a placeholder up to an id, if the last frames were hidden. [LOG-8] */
  flush(upTo: number): SpannedLine | undefined {
    if (upTo <= this.#lastId || (this.#payload?.held.length ?? 0) > 0) return undefined
    const span = upTo - this.#lastId
    this.#lastId = upTo
    return toPlaceholder(this.#rules.root, upTo, span)
  }

  #read(line: Uint8Array): Envelope | undefined {
    try {
      return this.#decode(decoder.decode(line))
    } catch {
      return undefined
    }
  }

  #remember(line: Uint8Array, isShown: boolean): void {
    const end = deltaStart(line)
    // A copy, because a subarray would keep a whole page in memory.
    this.#head = end === -1 ? undefined : line.slice(0, end)
    this.#isHeadShown = isShown
  }

  #show({ id, line }: LogEntry): readonly SpannedLine[] {
    if (id <= this.#lastId) return []
    const span = id - this.#lastId
    this.#lastId = id
    return [{ id, span, line }]
  }

  #takeEmptied({ id, envelope }: HeldFrame, fields: ReadonlySet<string>): readonly SpannedLine[] {
    const key = blockKey(envelope)
    const line = encodeEnvelope(emptyFields(envelope, fields))
    const isRepeated = this.#emptied.get(key) === line && envelope.more === undefined
    if (envelope.final || traitsOf(envelope.type)?.isItem) this.#emptied.delete(key)
    else this.#emptied.set(key, line)
    return isRepeated ? [] : this.#show({ id, line: encoder.encode(line) })
  }

  #takePayload(frame: HeldFrame, fields: ReadonlySet<string>): readonly SpannedLine[] {
    const { envelope } = frame
    const key = blockKey(envelope)
    const members = (): MemberFilter => new MemberFilter(fields)
    this.#payload ??= { key, members: members(), held: [], hasContent: false }
    this.#payload.held.push(frame)
    const decided = this.#release(this.#payload.members.feed(envelope.delta))
    return envelope.final ? [...decided, ...this.#endPayload()] : decided
  }

  #endPayload(): readonly SpannedLine[] {
    const left = this.#payload === undefined ? [] : this.#release(this.#payload.members.finish())
    this.#payload = undefined
    return left
  }

  /** Returns frames with the rest of their content. Frames without content are left out. */
  #release(texts: readonly string[]): readonly SpannedLine[] {
    const payload = this.#payload
    return texts.flatMap((text) => {
      const frame = payload?.held.shift()
      if (payload === undefined || frame === undefined) return []
      const { id, line, envelope } = frame
      payload.hasContent ||= text !== ''
      if (text === envelope.delta) return this.#show({ id, line })
      if (text === '' && !envelope.final) return []
      const delta = payload.hasContent ? text : leastDelta(envelope.type)
      return this.#show({ id, line: encoder.encode(encodeEnvelope({ ...envelope, delta })) })
    })
  }
}

/** The shortest valid content of a complete block. [ENV-5] */
const leastContent: Readonly<Record<DeltaContent, string>> = {
  text: '',
  empty: '',
  input: '{}',
  json: '{}',
}

/** Returns the `delta` of the last frame of a block whose content is hidden. */
function leastDelta(type: string): string {
  const traits = traitsOf(type)
  return traits?.isList === true ? '[]' : leastContent[traits?.delta ?? 'text']
}

/** Hides fields of a frame: required ones are emptied, others removed. [LOG-9] */
function emptyFields(envelope: Envelope, hidden: ReadonlySet<string>): Envelope {
  const { type, final, more } = envelope
  const required = traitsOf(type)?.required ?? {}
  const fields = Object.entries(envelope).flatMap(([name, value]): [string, unknown][] => {
    if (!hidden.has(name)) return [[name, value]]
    if (name === 'delta') return [[name, final ? leastDelta(type) : '']]
    return Object.hasOwn(required, name) ? [[name, '']] : []
  })
  const kept = Object.fromEntries(fields) as unknown as Envelope
  if (more === undefined) return kept
  // An incomplete item keeps `more` for its `delta`, even if that is empty. [CHUNK-5]
  const continued = Object.entries(more).filter(([name]) => name === 'delta' || !hidden.has(name))
  return { ...kept, more: Object.fromEntries(continued) }
}
