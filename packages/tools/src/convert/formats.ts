import {
  agUiFormat,
  agUiReader,
  aiSdkFormat,
  aiSdkReader,
  type LogFormat,
  rawFormat,
  segmentsFormat,
  segmentsReader,
  xmlFormat,
} from 'millrace/dialects'
import { envelopeFormatter, type ProviderInput, rawFormatter } from 'millrace/formatters'
import { misuse } from '../cli/command.ts'
import { connect, DONE, type Framing, type Stage, type WireItem } from './stage.ts'
import { createOwnCalls } from './own-calls.ts'
import { readAnthropic, readOpenAI } from './readers/read-provider.ts'
import { readFormat, readJson, readXml } from './readers/read-run.ts'
import { readRecognized } from './readers/read-recognized.ts'
import { unpackRecording } from './unpack-recording.ts'
import { type OnOmit, writeFormat } from './writers/write-format.ts'
import { writeJson } from './writers/write-json.ts'
import { writeText, writeTranscript } from './writers/write-text.ts'

interface ConvertSettings {
  /** The name of the input in errors. */
  readonly name: string
  /** The agent of messages that name none. */
  readonly agent: string
  readonly framing: Framing
  readonly maxBytes: number
}

/**
 * The two kinds of streams: the output of a provider, or the frames of a run. Only a run has tool results, sub-agents and pauses; only a
 * provider has signatures and other data that stays on the server.
 */
type Reader =
  | {
      readonly gives: 'provider'
      open(settings: ConvertSettings): Stage<Uint8Array, ProviderInput>
    }
  | { readonly gives: 'run'; open(settings: ConvertSettings): Stage<Uint8Array, WireItem> }

/** Writes runs; with `pass` it also writes provider streams unchanged. */
interface Writer {
  /** Whether frames can also be written one per line. */
  readonly hasLines?: true
  open(settings: ConvertSettings, gives: Reader['gives']): Stage<WireItem, string>
  pass?(settings: ConvertSettings): Stage<ProviderInput, string>
}

interface Described {
  readonly summary: string
}

const anthropicReader: Reader = { gives: 'provider', open: readAnthropic }

/** The readers of formats, by name. */
export const readers: Readonly<Record<string, Reader & Described>> = {
  anthropic: {
    ...anthropicReader,
    summary:
      'a stream of the Messages API: server-sent events, or one event a line; or one message',
  },
  raw: { ...anthropicReader, summary: 'the same' },
  openai: {
    summary: 'a stream of chat completions, or one completion',
    gives: 'provider',
    open: readOpenAI,
  },
  json: {
    summary: 'envelopes: server-sent events, or one a line',
    gives: 'run',
    open: readJson,
  },
  xml: {
    summary: 'legacy XML: server-sent events, or plain text',
    gives: 'run',
    open: ({ agent }) => readXml(agent),
  },
  segments: {
    summary: 'segment events, of a run or of a parser: server-sent events, or one a line',
    gives: 'run',
    open: ({ agent }) =>
      readFormat({ format: 'segments', reader: segmentsReader({ agent }), endsWithLines: true }),
  },
  'ai-sdk': {
    summary: 'a UI message stream of the AI SDK: server-sent events, or one chunk a line',
    gives: 'run',
    open: ({ agent }) => readFormat({ format: 'ai-sdk', reader: aiSdkReader({ agent }) }),
  },
  'ag-ui': {
    summary: 'AG-UI: server-sent events, or one event a line',
    gives: 'run',
    open: () => readFormat({ format: 'ag-ui', reader: agUiReader() }),
  },
}

/** Writes a run in a format; omissions from a provider stream are not reported. */
function toFormat(
  label: string,
  create: (onOmit: OnOmit) => LogFormat,
  hasEnd = true,
): Pick<Writer, 'open'> {
  return {
    open: ({ framing }, gives) =>
      writeFormat({
        label,
        framing,
        hasEnd,
        create: (onOmit) => create(gives === 'run' ? onOmit : () => {}),
      }),
  }
}

const raw: Writer = {
  ...toFormat('A stream of the Messages API', (onOmit) => rawFormat({ onOmit })),
  hasLines: true,
  pass: ({ framing }) => writeRaw(framing),
}

/** All formats that can be written. */
export const writers: Readonly<Record<string, Writer & Described>> = {
  json: {
    summary: 'envelopes, each within --limit',
    hasLines: true,
    open: ({ framing, maxBytes }) => writeJson(framing, maxBytes),
  },
  xml: {
    ...toFormat('xml', (onOmit) => xmlFormat({ onOmit: ({ type }) => onOmit(type) }), false),
    summary: 'legacy XML',
  },
  anthropic: {
    ...raw,
    summary: 'messages of the Messages API; such a stream is passed on unchanged',
  },
  raw: { ...raw, summary: 'the same' },
  segments: {
    ...toFormat('segments', (onOmit) => segmentsFormat({ agents: 'all', onOmit })),
    summary: 'segment events',
    hasLines: true,
  },
  'ai-sdk': {
    ...toFormat('ai-sdk', () => aiSdkFormat()),
    summary: 'a UI message stream of the AI SDK',
    hasLines: true,
  },
  'ag-ui': { ...toFormat('ag-ui', () => agUiFormat()), summary: 'AG-UI 1.0', hasLines: true },
  transcript: {
    summary: 'the final view of a client, as JSON',
    open: writeTranscript,
  },
  text: {
    summary: 'the text of the agent, as plain text',
    // A provider's stream has no rollbacks.
    open: (_, gives) => writeText({ mayRollBack: gives === 'run' }),
  },
}

/** Opens the conversion from one format, or the recognized one, to another; the input may be a recording. */
export function openConversion(
  from: string | undefined,
  to: string,
  settings: ConvertSettings,
): Stage<Uint8Array, string> {
  const { name } = settings
  const formats =
    from === undefined
      ? readRecognized(name, (found) => connectFormats(found, to, settings))
      : connectFormats(from, to, settings)
  return connect(unpackRecording(name), formats)
}

/** Connects a reader with a writer, with a conversion in between if their kinds differ. */
function connectFormats(
  from: string,
  to: string,
  settings: ConvertSettings,
): Stage<Uint8Array, string> {
  const reader = readers[from]
  const writer = writers[to]
  if (reader === undefined || writer === undefined) throw misuse(`There is no ${from} or no ${to}.`)
  if (reader.gives === 'run') {
    return connect(reader.open(settings), writer.open(settings, reader.gives))
  }
  const source = reader.open(settings)
  if (writer.pass !== undefined) return connect(source, writer.pass(settings))
  const wire = toWire(settings.agent, to === 'xml' ? 'xml' : 'json')
  return connect(connect(source, wire), writer.open(settings, reader.gives))
}

/** Converts provider events to the frames of a run without a prompt. */
function toWire(agent: string, format: string): Stage<ProviderInput, WireItem> {
  const run = { runId: 'converted', prompt: '' }
  let odd = 0
  const formatter = envelopeFormatter({ agent, format, run, onNotice: () => void odd++ })
  const toOwn = createOwnCalls()
  return {
    push: (input) => formatter.feed(input).flatMap(toOwn),
    end: () => [...formatter.finish().flatMap(toOwn), DONE],
    notes: () => (odd === 0 ? [] : [`${odd} irregular or unknown provider events were ignored.`]),
  }
}

/** Writes a stream of the Messages API; a provider stream is passed on unchanged. */
function writeRaw(frame: Framing): Stage<ProviderInput, string> {
  const formatter = rawFormatter()
  return {
    push: (input) => formatter.feed(input).map(frame),
    end: () => formatter.finish().map(frame),
  }
}
