import { compileArguments } from '../../engine/bodies/arguments-body.ts'
import { findMarker, type Opening, type Reader, type Reading } from '../../engine/reader.ts'
import { Marker, MarkerSet } from '../../engine/scan/marker.ts'
import type { SegmentWriter } from '../../engine/segment-output.ts'
import type { Format } from '../../format.ts'

/** The ends of a message, and the start of the next one if the end was omitted. */
const ends = ['<|end|>', '<|call|>', '<|return|>']
const begins = ['<|start|>', '<|channel|>']

const endMarkers = ends.map((text) => new Marker(text))
const markers = new MarkerSet([...endMarkers, ...begins.map((text) => new Marker(text))])
const message = new MarkerSet([new Marker('<|message|>')])
const recipient = new Marker('to=functions.')

/** Words and tokens; a text with anything else is not a header. */
const HEADER = /^[\w\s.=:/-]*(?:<\|(?:channel|constrain)\|>[\w\s.=:/-]*)*$/
const CHANNEL = /<\|channel\|>\s*(\w+)/
const RECIPIENT = /\bto=([^\s<]+)/

interface HarmonyHeader {
  readonly channel: string
  readonly recipient: string | undefined
}

/** Harmony, the channels of gpt-oss: analysis is reasoning, final is text, and a message to a function is a call. */
export const harmony: Format = {
  name: 'harmony',
  blocks: [
    {
      open: { literal: begins },
      control: true,
      orphans: ends,
      body: { custom: readMessage },
    },
    {
      // The prompt may end after the role, so that the answer begins with the recipient.
      open: { probe: isRecipient, first: ' t', at: 'stream' },
      control: true,
      body: { custom: readMessage },
    },
  ],
}

function* isRecipient(reader: Reader): Reading<boolean> {
  yield* reader.skipSpace()
  return (yield* reader.match([recipient])) !== undefined
}

const readCall = compileArguments({ close: ends, endsBefore: begins })

function* readMessage(reader: Reader, opening: Opening): Reading<boolean> {
  const header = yield* readHeader(reader)
  if (header === undefined) return false
  const { channel, recipient: to } = header
  if (to !== undefined && !/^(?:user|assistant|all)$/.test(to)) {
    return yield* readCall(reader, { ...opening, name: to.replace(/^functions\./, '') })
  }
  reader.accept()
  const isReasoning = channel === 'analysis'
  yield* readContent(reader, isReasoning ? reader.segment('reasoning', {}, true) : undefined)
  return true
}

/** Reads up to `<|message|>`; another message that begins before it shows that this is not a header. */
function* readHeader(reader: Reader): Reading<HarmonyHeader | undefined> {
  const opener = reader.input.slice(reader.input.consumed, reader.position)
  const start = reader.position
  const found = yield* findMarker(reader, message, start + reader.limits.maxOpener)
  if (found === undefined) return undefined
  const text = reader.input.slice(start, reader.position)
  reader.position = reader.matchEnd
  return toHeader(opener.endsWith('<|channel|>') ? `<|channel|>${text}` : text)
}

function toHeader(text: string): HarmonyHeader | undefined {
  if (!HEADER.test(text)) return undefined
  return { channel: CHANNEL.exec(text)?.[1] ?? 'final', recipient: RECIPIENT.exec(text)?.[1] }
}

function* readContent(reader: Reader, segment: SegmentWriter | undefined): Reading<void> {
  const marker = yield* reader.passUntil(markers, segment ?? reader.textSink)
  if (marker !== undefined && endMarkers.includes(marker)) {
    reader.position = reader.matchEnd
    reader.accept()
  }
  segment?.end(marker === undefined ? { complete: false } : undefined)
}
