import { createVerifier, decodeEnvelope, type Envelope, createSseDecoder } from 'millrace'
import { type Formatter, jsonFormatter, rawFormatter, xmlFormatter } from 'millrace/formatters'
import { createLegacyXmlDecoder } from 'millrace/legacy-xml'
import { feedings } from '../feedings/feedings.ts'
import { type RecordingCheck, spread } from './recording-check.ts'

/** Number of cuts of a recording for each format. */
const CUTS = 9
const agent = 'a0000000-0000-4000-8000-000000000001'
const run = { runId: 'run_1', prompt: 'Hi' }

interface WireForm {
  readonly name: string
  create(): Formatter
  /** Returns the faults of the data of frames that some bytes yield. */
  faultsOf(data: readonly string[], bytes: Uint8Array): readonly string[]
}

const forms: readonly WireForm[] = [
  jsonForm('json', { maxBytes: 2048 }),
  jsonForm('json, live input', { maxBytes: 512, toolInput: 'live' }),
  {
    name: 'xml',
    create: () => xmlFormatter({ agent, run }),
    faultsOf(data, bytes) {
      const decoder = createLegacyXmlDecoder()
      const envelopes = [...data.flatMap((one) => decoder.feed(one)), ...decoder.finish()]
      const json = format(jsonFormatter({ agent, run }), [bytes]).map(decodeEnvelope)
      return wordsOf(envelopes) === wordsOf(json) ? [] : ['other words than in json']
    },
  },
  {
    name: 'raw',
    create: () => rawFormatter(),
    faultsOf(data, bytes) {
      const given: string[] = []
      createSseDecoder({ onEvent: (event) => given.push(event.data) }).feed(bytes)
      return data.join('\n') === given.join('\n') ? [] : ['other frames than came in']
    },
  },
]

/** Checks that the output of formatters for a recording, whole or cut, keeps the rules of the protocol. */
export const checkWire: RecordingCheck = {
  name: 'formatters keep the protocol',
  run({ bytes }) {
    const cuts = spread(bytes.length + 1, CUTS)
    const cut = feedings().at(-1)?.cut ?? ((all: Uint8Array) => [all])
    const faults = cuts.flatMap((place) =>
      forms.flatMap(({ name, create, faultsOf }) => {
        const came = bytes.subarray(0, place)
        const data = format(create(), cut(came))
        return faultsOf(data, came).map((fault) => `[${name}, cut at byte ${place}] ${fault}`)
      }),
    )
    return { cases: cuts.length * forms.length, faults }
  },
}

function jsonForm(
  name: string,
  options: { readonly maxBytes: number; readonly toolInput?: 'live' },
): WireForm {
  return {
    name,
    create: () => jsonFormatter({ agent, run, ...options }),
    faultsOf(data) {
      const verifier = createVerifier({ maxBytes: options.maxBytes })
      const violations = [...data.flatMap((line) => verifier.push(line)), ...verifier.end(true)]
      return violations.map(({ rule, message }) => `[${rule}] ${message}`)
    },
  }
}

function format(formatter: Formatter, pieces: Iterable<Uint8Array>): string[] {
  const frames = [...pieces].flatMap((piece) => formatter.feed(piece))
  return [...frames, ...formatter.finish()].map(({ data = '' }) => data)
}

/** Returns the text and thinking of the model, which every format contains. */
function wordsOf(envelopes: readonly Envelope[]): string {
  const spoken = envelopes.filter(({ type }) => type === 'text' || type === 'thinking')
  return spoken.map(({ delta }) => delta).join('')
}
