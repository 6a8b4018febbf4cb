import type { Envelope } from '../../events/index.ts'
import { MillraceError } from '../../errors/index.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../json/index.ts'
import { DONE_DATA } from '../../sse/index.ts'
import type { FormatFrame, FormatReader } from '../port/index.ts'
import { ReadCalls } from './read-calls.ts'
import { type GrowingBlock, readData } from './read-data.ts'
import { Reading } from './reading.ts'
import { parseJson } from './tool-output.ts'
import { fromSource, OWN, toStopReason, type UiChunk } from './ui-output.ts'
/** Options of {@link aiSdkReader}. */
export interface AiSdkReaderOptions {
  /** Id of the agent, if the stream has none. */
  readonly agent?: string
}

/**
 * Creates a reader that converts a UI message stream of the AI SDK, of any server, to frames. It ignores unknown chunks. A page's data,
 * sources without a text and the like become `server_tool_result`s under their own names.
 */
export function aiSdkReader({ agent = 'agent' }: AiSdkReaderOptions = {}): FormatReader {
  return new UiReader(agent)
}

type Read = (reader: UiReader, chunk: UiChunk) => void

class UiReader implements FormatReader {
  readonly reading: Reading
  readonly calls: ReadCalls
  readonly blocks = new Map<string, GrowingBlock>()
  /** Ids of sources that citations include. */
  readonly cited = new Set<string>()
  isAborted = false
  #isContinued = false
  #loose = 0

  constructor(agent: string) {
    this.reading = new Reading(agent)
    this.calls = new ReadCalls(this.reading)
  }

  read({ data = '' }: FormatFrame): readonly Envelope[] {
    if (data === DONE_DATA || data === '') return []
    const chunk = decodeChunk(data)
    const { type } = chunk
    const read = type.startsWith('data-') ? readOwnData : reads[type]
    if (read === undefined) return []
    if (rootContent.has(type) && ownOf(chunk)['agent'] === undefined) this.#resume()
    read(this, chunk)
    return this.reading.drain()
  }

  finish(): readonly Envelope[] {
    const { phase, root } = this.reading
    if (phase === 'running') {
      this.calls.settle()
      this.reading.fail(root, {
        type: 'stream_error',
        message: 'The stream ended before its message. Connect again.',
        code: 'stream_truncated',
        retriable: true,
      })
    }
    if (phase === 'running' || phase === 'failed') this.end('error')
    return this.reading.drain()
  }

  start(messageId: JsonValue | undefined): void {
    const wasPaused = this.reading.phase === 'paused'
    const isNew = this.reading.start(typeof messageId === 'string' ? messageId : undefined)
    this.#isContinued = wasPaused && !isNew
    if (!isNew) return
    this.calls.clear()
    this.cited.clear()
    this.blocks.clear()
    this.isAborted = false
  }

  /** Ends the run, with the stop reason of our own streams or that of the message. */
  end(stopReason: string): void {
    const { facts, root } = this.reading
    const { usage, cost, stop_reason, total_steps } = facts
    const info = { stop_reason: stop_reason ?? stopReason, total_steps, usage, cost }
    const present = Object.entries(info).filter(([, value]) => value !== undefined)
    this.reading.endAgent(root, Object.fromEntries(present) as JsonObject)
    if (this.reading.phase !== 'paused') this.calls.clear()
  }

  /** Writes content without a frame type under its own name. */
  keep(name: string, id: JsonValue | undefined, content: JsonValue): void {
    const { root } = this.reading
    this.reading.enter(root)
    const resultId = typeof id === 'string' && id !== '' ? id : `${name}-${++this.#loose}`
    this.reading.add('server_tool_result', root, JSON.stringify(content), { id: resultId, name })
  }

  #resume(): void {
    if (!this.#isContinued) return
    this.#isContinued = false
    this.calls.skipAnswers()
  }
}

/** Chunks with which the model continues. All answers precede them. */
const rootContent: ReadonlySet<string> = new Set([
  'text-start',
  'reasoning-start',
  'tool-input-start',
])

const readOwnData: Read = (reader, chunk) => {
  const { reading, calls, blocks } = reader
  readData({ reading, calls, blocks, keep: (...kept) => reader.keep(...kept) }, chunk)
}

/** Returns the key, block and fields of a text part. */
function proseOf({ reading }: UiReader, type: string, chunk: UiChunk) {
  const { agent, redacted } = ownOf(chunk)
  const id = toText(chunk['id'])
  const who = typeof agent === 'string' ? agent : reading.root
  const fields = redacted === true ? { id, redacted: true } : { id }
  return { key: `${type} ${id}`, block: { type, agent: who, fields } }
}

const startProse =
  (type: string): Read =>
  (reader, chunk) => {
    const { reading } = reader
    reading.enter(reading.root)
    const { key, block } = proseOf(reader, type, chunk)
    reading.resume(block.agent)
    reading.grow(key, block, '')
  }

const growProse =
  (type: string): Read =>
  (reader, chunk) => {
    const { key, block } = proseOf(reader, type, chunk)
    if (reader.reading.isOpen(key)) reader.reading.grow(key, block, toText(chunk['delta']))
  }

const endProse =
  (type: string): Read =>
  (reader, chunk) => {
    const { reading, cited } = reader
    const { key, block } = proseOf(reader, type, chunk)
    const agent = reading.endOpen(key, ownOf(chunk)['interrupted'] === true)
    const { citations } = chunk
    if (agent === undefined || type !== 'text' || !isJsonArray(citations)) return
    const sources = citations.filter(isJsonObject).filter(({ source }) => isJsonObject(source))
    for (const [index, { source, citedText }] of sources.entries()) {
      const citation = fromSource(source as JsonObject, citedText)
      cited.add(toText((source as JsonObject)['id']))
      const { id } = block.fields
      const fields = { ...citation.fields, id, final: index === sources.length - 1 }
      reading.addItem('citation', agent, citation.citedText, fields)
    }
  }

const readSource: Read = (reader, chunk) => {
  const { sourceId } = chunk
  if (!reader.cited.has(toText(sourceId))) reader.keep('source', sourceId, chunk)
}

const readFile: Read = ({ reading }, { url, mediaType, filename }) => {
  reading.enter(reading.root)
  const name = typeof filename === 'string' ? filename : ''
  const file = {
    file_id: '',
    filename: name,
    storage_location: url ?? '',
    media_type: mediaType ?? '',
  }
  reading.add('meta_files', reading.root, { files: [file] })
}

const startCall: Read = ({ reading, calls }, chunk) => {
  const { toolCallId, toolName, providerExecuted, inputEncoding } = chunk
  const { agent, server_name, implied } = ownOf(chunk)
  reading.enter(reading.root)
  calls.start({
    id: toText(toolCallId),
    name: toText(toolName),
    agent: typeof agent === 'string' ? agent : reading.root,
    isServer: providerExecuted === true,
    isTextual: inputEncoding === 'text',
    isImplied: implied === true,
    ...(typeof server_name === 'string' && { fields: { server_name } }),
  })
}

const endCall: Read = (reader, chunk) => {
  startCall(reader, chunk)
  const isInterrupted = ownOf(chunk)['interrupted'] === true
  reader.calls.end(toText(chunk['toolCallId']), chunk['input'] ?? {}, isInterrupted)
}

const readOutput: Read = ({ calls, reading }, chunk) => {
  const { toolCallId, output = null, preliminary, placeholder } = chunk
  const id = toText(toolCallId)
  reading.enter(reading.root)
  if (placeholder === true) return calls.pass(id)
  if (preliminary === true) return calls.hold(id, output)
  const { name, interrupted } = ownOf(chunk)
  const named = typeof name === 'string' ? { resultName: name } : {}
  const isInterrupted = interrupted === true
  calls.answer(id, { value: output, isError: false, isInterrupted, ...named })
}

const readOutputError: Read = ({ calls, reading }, chunk) => {
  const { toolCallId, errorText, voided } = chunk
  if (voided === true) return
  reading.enter(reading.root)
  const { name, images, interrupted } = ownOf(chunk)
  const named = typeof name === 'string' ? { resultName: name } : {}
  const text = toText(errorText)
  const output = {
    text,
    images: isJsonArray(images) ? images.filter(isJsonObject).map(toImage) : [],
  }
  const value = parseJson(text) ?? text
  const isInterrupted = interrupted === true
  calls.answer(toText(toolCallId), { output, value, isError: true, isInterrupted, ...named })
}

const reads: Readonly<Record<string, Read>> = {
  start: (reader, { messageId, messageMetadata }) => {
    reader.reading.learn(messageMetadata)
    reader.start(messageId)
  },
  'start-step': ({ reading }) => {
    reading.enter(reading.root)
    reading.endStep()
  },
  'finish-step': ({ reading }) => reading.endStep(),
  'reset-step': ({ reading }) => {
    reading.enter(reading.root)
    reading.rollBack(reading.root, { reason: 'reset-step' })
  },
  'text-start': startProse('text'),
  'text-delta': growProse('text'),
  'text-end': endProse('text'),
  'reasoning-start': startProse('thinking'),
  'reasoning-delta': growProse('thinking'),
  'reasoning-end': endProse('thinking'),
  'source-url': readSource,
  'source-document': readSource,
  file: readFile,
  'reasoning-file': readFile,
  custom: (reader, chunk) => reader.keep(toText(chunk['kind']), undefined, chunk),
  'tool-input-start': startCall,
  'tool-input-delta': ({ calls }, { toolCallId, inputTextDelta }) =>
    calls.grow(toText(toolCallId), toText(inputTextDelta)),
  'tool-input-available': endCall,
  'tool-input-error': endCall,
  'tool-output-available': readOutput,
  'tool-output-error': readOutputError,
  'tool-output-denied': ({ calls, reading }, { toolCallId, reason }) => {
    reading.enter(reading.root)
    const text = typeof reason === 'string' ? reason : 'The call was denied.'
    calls.answer(toText(toolCallId), { output: { text, images: [] }, isError: true })
  },
  'tool-approval-request': ({ calls }, { toolCallId }) => calls.judge(toText(toolCallId)),
  'steering-message': ({ reading }, { parts }) => {
    reading.enter(reading.root)
    const texts = isJsonArray(parts) ? parts.filter(isJsonObject).map(({ text }) => text) : []
    const words = texts.filter((text) => typeof text === 'string').join('\n')
    reading.close(reading.root)
    reading.add('user_message', reading.root, words)
  },
  'message-metadata': ({ reading }, { messageMetadata }) => reading.learn(messageMetadata),
  error: (reader, { errorText }) => {
    const { reading } = reader
    reading.enter(reading.root)
    const { error } = reading.facts
    const message = toText(errorText)
    const known = isJsonObject(error) && error['message'] === message ? error : { message }
    reading.fail(reading.root, known)
  },
  abort: (reader) => {
    reader.isAborted = true
  },
  finish: (reader, { finishReason, messageMetadata }) => {
    const { reading, calls } = reader
    reading.enter(reading.root)
    reading.learn(messageMetadata)
    if (reading.phase === 'failed') return reader.end('error')
    calls.settle()
    reading.endStep()
    const waits = finishReason === 'tool-calls' ? calls.await() : undefined
    reader.end(waits ?? (reader.isAborted ? 'aborted' : toStopReason(finishReason)))
  },
}

function decodeChunk(data: string): UiChunk {
  const value = parseJson(data)
  if (isJsonObject(value) && typeof value['type'] === 'string') return value as UiChunk
  throw new MillraceError(
    'envelope_malformed',
    `This is not a chunk of a UI message stream: ${JSON.stringify(data.slice(0, 80))}. Check the format of the stream.`,
  )
}

function ownOf({ providerMetadata }: UiChunk): JsonObject {
  const own = isJsonObject(providerMetadata) ? providerMetadata[OWN] : undefined
  return isJsonObject(own) ? own : {}
}

function toImage({ src, mediaType }: JsonObject) {
  return { src: toText(src), mediaType: toText(mediaType) }
}
