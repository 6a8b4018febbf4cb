import type { CitationEvent } from '../../events/index.ts'
import { type JsonObject, type JsonValue, toText } from '../../json/index.ts'
import type { FormatFrame } from '../port/index.ts'

/** The message of the chunks, with its steps. */
export class UiOutput {
  #frames: FormatFrame[] = []
  #head: UiFields
  #isOpen = false
  #isInStep = false
  #isStepOver = false
  #hasCalls = false
  /** Kinds of the growing text parts, by id. */
  readonly #growing = new Map<string, string>()

  constructor(metadata: JsonObject) {
    this.#head = { messageMetadata: metadata }
  }

  /** Whether a message is started but not finished. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  drain(): readonly FormatFrame[] {
    const frames = this.#frames
    this.#frames = []
    return frames
  }

  /** Starts the message of a run. A message that continues after a pause is started again with the same id. */
  openRun(messageId: string | undefined, messageMetadata: JsonObject): void {
    this.#endParts()
    this.#isOpen = false
    this.#isInStep = false
    this.#isStepOver = false
    this.#hasCalls = false
    this.#head = { messageId, messageMetadata }
    this.#open()
  }

  startPart(kind: string, id: string, fields: UiFields, isRoot: boolean): void {
    this.writeInStep(`${kind}-start`, { id, ...fields }, isRoot)
    this.#growing.set(id, kind)
  }

  /** Adds to a part. For an ended part it writes nothing, because a client would treat that as an error. */
  growPart(id: string, delta: string): void {
    const kind = this.#growing.get(id)
    if (kind !== undefined) this.write(`${kind}-delta`, { id, delta })
  }

  endPart(id: string, fields: UiFields = {}): void {
    const kind = this.#growing.get(id)
    this.#growing.delete(id)
    if (kind !== undefined) this.write(`${kind}-end`, { id, ...fields })
  }

  /** Writes a chunk of the message or of its current step. */
  write(type: string, fields?: UiFields): void {
    this.#open()
    this.#frames.push(toUiFrame(type, fields))
  }

  /** Writes a chunk that requires an open step. Sub-agents write to the step that they work for. */
  writeInStep(type: string, fields: UiFields, isRoot = true): void {
    if (isRoot && this.#isStepOver) this.endStep()
    if (!this.#isInStep) this.write('start-step')
    this.#isInStep = true
    this.write(type, fields)
  }

  /** Records that the step has a call which a page could treat as its own. */
  noteCall(): void {
    this.#hasCalls = true
  }

  /** Marks the model call of the step as ended. The step ends with the next one, because it includes the results of its calls. */
  closeStep(): void {
    this.#isStepOver = this.#isInStep
  }

  /** Removes the content of the step. */
  resetStep(): void {
    this.write('reset-step')
    this.#growing.clear()
    this.#hasCalls = false
  }

  endStep(): void {
    this.#endParts()
    if (this.#isInStep) this.write('finish-step')
    this.#isInStep = false
    this.#isStepOver = false
    this.#hasCalls = false
  }

  /** Ends the steps of a run that is not paused. After answered calls, a page would continue by itself; an empty step prevents that. */
  endSteps(): void {
    const isMisleading = this.#hasCalls
    this.endStep()
    if (!isMisleading) return
    this.write('start-step')
    this.write('finish-step')
  }

  finish(fields: UiFields): void {
    this.#endParts()
    this.write('finish', fields)
    this.#isOpen = false
  }

  #endParts(): void {
    for (const id of this.#growing.keys()) this.endPart(id)
  }

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#frames.push(toUiFrame('start', this.#head))
    const { messageId } = this.#head
    this.#head = { messageId }
  }
}

/** A chunk of a UI message stream. */
export interface UiChunk extends JsonObject {
  readonly type: string
}

/** Fields of a chunk. Undefined ones are omitted. */
export interface UiFields {
  readonly [field: string]: JsonValue | undefined
}

/** Key of our own fields in `providerMetadata`. */
export const OWN = 'millrace'

/** Encodes a chunk. */
function toUiFrame(type: string, fields: UiFields = {}): FormatFrame {
  return { data: JSON.stringify({ type, ...fields }) }
}

/** Returns our own fields as `providerMetadata`; empty if all are undefined. */
export function toOwn(fields: UiFields): { readonly providerMetadata?: JsonObject } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  // Undefined values were removed.
  const own = Object.fromEntries(present) as JsonObject
  return present.length === 0 ? {} : { providerMetadata: { [OWN]: own } }
}

/** The source of a citation, as a part of the message and as a citation. */
interface UiSource {
  readonly chunk: { readonly type: string; readonly fields: UiFields }
  readonly citation: JsonObject
}

/** A cited text and the description of its source. */
type Cited = Pick<CitationEvent, 'citedText' | 'fields'>

/**
 * Converts citations to sources. `startIndex` and `endIndex` of the AI SDK are positions in the answer; ours are positions in the source,
 * so they are only in our own fields.
 */
export function toSources(block: string, citations: readonly Cited[]): readonly UiSource[] {
  return citations.map((citation, index) => toSource(`${block}-${index + 1}`, citation))
}

function toSource(id: string, { citedText, fields }: Cited): UiSource {
  const own = toOwn({ ...fields, cited_text: citedText })
  const { url } = fields
  const source =
    typeof url === 'string'
      ? { sourceType: 'url', url, ...titled(fields['title']), ...own }
      : { sourceType: 'document', ...toDocument(fields), ...own }
  const { sourceType, ...described } = source
  return {
    chunk: { type: `source-${sourceType}`, fields: { sourceId: id, ...described } },
    citation: { source: { type: 'source', id, ...source }, citedText },
  }
}

function toDocument(fields: JsonObject): { readonly mediaType: string; readonly title: string } {
  const { citation_type: type, document_title, title, source } = fields
  const name = [document_title, title, source].find((one) => typeof one === 'string' && one !== '')
  // The wire has no media type. Only sources with pages are known to be PDFs.
  const mediaType = type === 'page_location' ? 'application/pdf' : 'text/plain'
  return { mediaType, title: toText(name ?? 'Document') }
}

function titled(title: unknown): { readonly title?: string } {
  return typeof title === 'string' ? { title } : {}
}

/** Converts a source to a citation. A source of another server is described by its fields. */
export function fromSource(source: JsonObject, citedText: unknown): Cited {
  const { providerMetadata, url, title, filename } = source
  const own = ownOf(providerMetadata)
  if (own !== undefined) {
    const { cited_text, ...fields } = own
    return { citedText: toText(cited_text ?? ''), fields }
  }
  const isUrl = typeof url === 'string'
  const named = typeof title === 'string' ? title : filename
  return {
    citedText: typeof citedText === 'string' ? citedText : '',
    fields: {
      citation_type: isUrl ? 'web_search_result_location' : 'document',
      ...(isUrl ? { url, ...titled(title) } : {}),
      ...(!isUrl && typeof named === 'string' ? { document_title: named } : {}),
    },
  }
}

function ownOf(providerMetadata: unknown): JsonObject | undefined {
  const all = providerMetadata as Readonly<Record<string, unknown>> | undefined
  const own = typeof all === 'object' && all !== null ? all[OWN] : undefined
  return typeof own === 'object' && own !== null ? (own as JsonObject) : undefined
}

/** Finish reasons of a message that the AI SDK 6 and 7 share. */
type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

const finishReasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['stop', 'stop'],
  ['max_tokens', 'length'],
  ['length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content-filter'],
  ['content_filter', 'content-filter'],
  ['awaiting_frontend_tools', 'tool-calls'],
  ['awaiting_approval', 'tool-calls'],
  ['error', 'error'],
])

const stopReasons: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['content-filter', 'refusal'],
  ['tool-calls', 'tool_use'],
  ['error', 'error'],
  ['interrupted', 'aborted'],
])

/** Converts the stop reason of a run to a finish reason. */
export function toFinishReason(stopReason: unknown): FinishReason {
  return finishReasons.get(stopReason) ?? 'other'
}

/** Converts a finish reason to the stop reason of a run. */
export function toStopReason(finishReason: unknown): string {
  return stopReasons.get(finishReason) ?? 'end_turn'
}
