import {
  blockKey,
  createEnvelopeDecoder,
  encodeEnvelope,
  type Envelope,
  traitsOf,
} from '../../envelope/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'
import { deltaStart, hasAt } from '../feeds/line-head.ts'
import { type SpannedLine, toPlaceholder } from '../feeds/spanned-line.ts'
import { emptyFields, leastDelta } from './empty-fields.ts'
import { createMemberFilter, type MemberFilter } from './member-filter.ts'
import { isPayload, type ViewRules } from './view-rules.ts'

/** Lets through what one reader may see of a log. */
export interface ViewFilter {
  /** Takes the next message; gives what becomes of it, and of those that waited for it. */
  take(entry: LogEntry): readonly SpannedLine[]
  /** What tells the reader that it has all up to an id, if the last message that it was sent does not. [LOG-8] */
  flush(upTo: number): SpannedLine | undefined
}

/** Builds a filter for a reader that has all up to an id. What it takes may begin earlier. */
export function createViewFilter(rules: ViewRules, after: number): ViewFilter {
  return new LineFilter(rules, after)
}

interface HeldPiece extends LogEntry {
  readonly envelope: Envelope
}

/** A block of JSON from which members are taken out. */
interface OpenPayload {
  readonly key: string
  readonly members: MemberFilter
  /** Pieces that wait for the end of a name. */
  readonly held: HeldPiece[]
  hasContent: boolean
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

class LineFilter implements ViewFilter {
  readonly #rules: ViewRules
  readonly #decode = createEnvelopeDecoder()
  /** The last line of each open block whose content is hidden: the same again would say nothing. */
  readonly #emptied = new Map<string, string>()
  #payload: OpenPayload | undefined
  /** How the latest message began, up to its delta, if that alone decides whether it is shown. */
  #head: Uint8Array | undefined
  #isHeadShown = false
  /** Up to where the reader has everything. */
  #lastId: number

  constructor(rules: ViewRules, after: number) {
    this.#rules = rules
    this.#lastId = after
  }

  take(entry: LogEntry): readonly SpannedLine[] {
    // Most messages begin like the one before, and nothing but the beginning decides.
    if (this.#head !== undefined && hasAt(entry.line, this.#head, 0)) {
      return this.#isHeadShown ? this.#show(entry) : []
    }
    const envelope = this.#read(entry.line)
    // What cannot be read cannot be shown to be harmless.
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
    const piece = { ...entry, envelope }
    const shown = isWhole ? this.#takeEmptied(piece, fields) : this.#takePayload(piece, fields)
    return [...left, ...shown]
  }

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
    // A copy, because a part would keep a whole page in memory.
    this.#head = end === -1 ? undefined : line.slice(0, end)
    this.#isHeadShown = isShown
  }

  #show({ id, line }: LogEntry): readonly SpannedLine[] {
    if (id <= this.#lastId) return []
    const span = id - this.#lastId
    this.#lastId = id
    return [{ id, span, line }]
  }

  #takeEmptied({ id, envelope }: HeldPiece, fields: ReadonlySet<string>): readonly SpannedLine[] {
    const key = blockKey(envelope)
    const line = encodeEnvelope(emptyFields(envelope, fields))
    const isRepeated = this.#emptied.get(key) === line && envelope.more === undefined
    if (envelope.final || traitsOf(envelope.type)?.unit === 'item') this.#emptied.delete(key)
    else this.#emptied.set(key, line)
    return isRepeated ? [] : this.#show({ id, line: encoder.encode(line) })
  }

  #takePayload(piece: HeldPiece, fields: ReadonlySet<string>): readonly SpannedLine[] {
    const { envelope } = piece
    const key = blockKey(envelope)
    const members = (): MemberFilter => createMemberFilter(fields)
    this.#payload ??= { key, members: members(), held: [], hasContent: false }
    this.#payload.held.push(piece)
    const decided = this.#release(this.#payload.members.feed(envelope.delta))
    return envelope.final ? [...decided, ...this.#endPayload()] : decided
  }

  #endPayload(): readonly SpannedLine[] {
    const left = this.#payload === undefined ? [] : this.#release(this.#payload.members.finish())
    this.#payload = undefined
    return left
  }

  /** Shows pieces with what is left of them; one of which nothing is left is left out. */
  #release(texts: readonly string[]): readonly SpannedLine[] {
    const payload = this.#payload
    return texts.flatMap((text) => {
      const piece = payload?.held.shift()
      if (payload === undefined || piece === undefined) return []
      const { id, line, envelope } = piece
      payload.hasContent ||= text !== ''
      if (text === envelope.delta) return this.#show({ id, line })
      if (text === '' && !envelope.final) return []
      const delta = payload.hasContent ? text : leastDelta(envelope.type)
      return this.#show({ id, line: encoder.encode(encodeEnvelope({ ...envelope, delta })) })
    })
  }
}
