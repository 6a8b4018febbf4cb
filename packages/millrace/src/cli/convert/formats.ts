import type { ProviderInput } from '../../formatters/index.ts'
import { misuse } from '../misuse.ts'
import type { Framing } from './framing.ts'
import { readAnthropic } from './read-anthropic.ts'
import { readJson } from './read-json.ts'
import { readOpenAI } from './read-openai.ts'
import { readXml } from './read-xml.ts'
import { connect, type Stage } from './stage.ts'
import { toModel } from './to-model.ts'
import { toWire } from './to-wire.ts'
import { unpackRecording } from './unpack-recording.ts'
import type { WireItem } from './wire-item.ts'
import { writeJson } from './write-json.ts'
import { writeRaw } from './write-raw.ts'
import { writeText } from './write-text.ts'
import { writeTranscript } from './write-transcript.ts'
import { writeXml } from './write-xml.ts'

/** What a person has asked for. */
export interface ConvertSettings {
  /** What errors call the input. */
  readonly name: string
  /** Whose messages they are where the input does not say. */
  readonly agent: string
  readonly framing: Framing
  readonly maxBytes: number
}

/**
 * The two things that a stream can be: what a provider says, or the messages of a run. Only a run has results of
 * tools, sub-agents and pauses; only a provider has signatures and whatever else stays on the server.
 */
type Reader =
  | {
      readonly gives: 'provider'
      open(settings: ConvertSettings): Stage<Uint8Array, ProviderInput>
    }
  | { readonly gives: 'run'; open(settings: ConvertSettings): Stage<Uint8Array, WireItem> }

type Writer =
  | { readonly takes: 'provider'; open(settings: ConvertSettings): Stage<ProviderInput, string> }
  | {
      readonly takes: 'run'
      open(settings: ConvertSettings, gives: string): Stage<WireItem, string>
    }

/** What a person is told of a format. */
interface Described {
  readonly summary: string
}

/** Every format that can be read. */
export const readers: Readonly<Record<string, Reader & Described>> = {
  anthropic: {
    summary:
      'a stream of the Messages API: server-sent events, or one event a line; or one message',
    gives: 'provider',
    open: readAnthropic,
  },
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
}

const raw: Writer = { takes: 'provider', open: ({ framing }) => writeRaw(framing) }

/** Every format that can be written; `hasLines` where messages can also be one a line. */
export const writers: Readonly<Record<string, Writer & Described & { readonly hasLines?: true }>> =
  {
    json: {
      summary: 'envelopes, each within --limit',
      takes: 'run',
      hasLines: true,
      open: ({ framing, maxBytes }) => writeJson(framing, maxBytes),
    },
    xml: { summary: 'legacy XML', takes: 'run', open: (_, gives) => writeXml(gives === 'run') },
    anthropic: {
      ...raw,
      summary: 'a stream of the Messages API; one that is read is passed on as it is',
      hasLines: true,
    },
    raw: { ...raw, summary: 'the same', hasLines: true },
    transcript: {
      summary: 'what a person sees at the end, as JSON',
      takes: 'run',
      open: writeTranscript,
    },
    text: {
      summary: 'what the agent said, as plain text',
      takes: 'run',
      // A provider's stream never takes back what it has said.
      open: (_, gives) => writeText({ mayRollBack: gives === 'run' }),
    },
  }

/** Opens the way from one format to another; the input may be a recording of it. */
export function openConversion(
  from: string,
  to: string,
  settings: ConvertSettings,
): Stage<Uint8Array, string> {
  return connect(unpackRecording(settings.name), connectFormats(from, to, settings))
}

/** Connects a reader with a writer, with what lies between where they are of different kinds. */
function connectFormats(
  from: string,
  to: string,
  settings: ConvertSettings,
): Stage<Uint8Array, string> {
  const reader = readers[from]
  const writer = writers[to]
  if (reader === undefined || writer === undefined) throw misuse(`There is no ${from} or no ${to}.`)
  if (reader.gives === 'provider') {
    const source = reader.open(settings)
    if (writer.takes === 'provider') return connect(source, writer.open(settings))
    return connect(
      connect(source, toWire(settings.agent, to === 'xml' ? 'xml' : 'json')),
      writer.open(settings, reader.gives),
    )
  }
  const source = reader.open(settings)
  if (writer.takes === 'run') return connect(source, writer.open(settings, reader.gives))
  return connect(connect(source, toModel()), writer.open(settings))
}
