import {
  createDecoder,
  createSseDecoder,
  createTranscript,
  type Envelope,
  reduceTranscript,
  type Transcript,
} from 'millrace'

import type { Bench, BenchCase } from '../bench-case.ts'
import {
  AGENT,
  cut,
  demand,
  initEnvelope,
  parseLines,
  prose,
  textEnvelopes,
  toLines,
  toNetworkChunks,
} from '../deltas.ts'
import { toBench } from '../report.ts'

const BASE_LENGTH = 500_000
const DELTA_LENGTH = 30
const EVENTS = BASE_LENGTH / DELTA_LENGTH
const BLOCKS = 20
const SHORT_BLOCKS = 2_000
/** Deltas of a short block, whose end is a frame too. */
const SHORT_DELTAS = 3

/** A stream of the case. */
interface StreamKind {
  readonly job: string
  readonly maxOfFloor: number
  /** The number of deltas at 1×. */
  readonly events: number
  framesAt(scale: number): Envelope[]
}

const deltasAt = (scale: number, parts = 1): string[] =>
  cut(prose((scale * BASE_LENGTH) / parts), DELTA_LENGTH)

const kinds: readonly StreamKind[] = [
  {
    job: 'decode and reduce a stream of 30-character deltas, about 20 MB at 8×',
    maxOfFloor: 2.5,
    events: EVENTS,
    // In 20 blocks, so that block ends are included.
    framesAt: (scale) =>
      Array.from({ length: BLOCKS }, () => textEnvelopes(deltasAt(scale, BLOCKS))).flat(),
  },
  {
    job: 'the arguments of a call, sent while the model writes them',
    maxOfFloor: 2.5,
    events: EVENTS,
    framesAt: (scale) => {
      const fields = { type: 'tool_call', agent: AGENT, id: 'toolu_1', name: 'write_file' }
      const frames = cut(JSON.stringify(prose(scale * BASE_LENGTH)), DELTA_LENGTH).map((delta) => ({
        ...fields,
        final: false,
        delta,
      }))
      return [...frames, { ...fields, final: true, delta: '' }]
    },
  },
  {
    job: 'three agents that write in turn, a delta each',
    // Measured 2.7: each frame belongs to another block than the one before it.
    maxOfFloor: 3.2,
    events: EVENTS,
    framesAt: (scale) => {
      const agents = [AGENT, 'a-second-agent', 'a-third-agent']
      return textEnvelopes(deltasAt(scale, agents.length)).flatMap((frame) =>
        agents.map((agent) => ({ ...frame, agent })),
      )
    },
  },
  {
    job: `${SHORT_BLOCKS} blocks of ${SHORT_DELTAS} deltas at 1×`,
    // Measured 3.9: blocks are opened and closed, and too short for frames that are read without parsing them.
    maxOfFloor: 4.6,
    events: SHORT_BLOCKS * SHORT_DELTAS,
    framesAt: (scale) => {
      const block = textEnvelopes(cut(prose(SHORT_DELTAS * DELTA_LENGTH), DELTA_LENGTH))
      return Array.from({ length: scale * SHORT_BLOCKS }, () => block).flat()
    },
  },
]

/** The whole work of a client: network bytes to a transcript. */
function toCase({ job, maxOfFloor, events, framesAt }: StreamKind): BenchCase {
  const linesAt = (scale: number): string[] => toLines([initEnvelope, ...framesAt(scale)])
  return {
    name: 'stream',
    job,
    unit: 'event',
    count: (scale) => scale * events,
    ours: {
      name: 'millrace decode and reduce',
      prepare: (scale) => {
        const chunks = toNetworkChunks(linesAt(scale))
        const length = framesAt(scale).reduce((sum, { delta }) => sum + delta.length, 0)
        return () => {
          let transcript = createTranscript()
          const decoder = createDecoder({ after: 0 })
          const sse = createSseDecoder({
            onEvent: ({ data, id }) => {
              const frame = Number(id)
              transcript = reduceTranscript(transcript, decoder.decode(data, frame), frame)
            },
          })
          for (const chunk of chunks) sse.feed(chunk)
          demand(lengthOf(transcript) === length, 'millrace')
        }
      },
    },
    floor: { name: 'JSON.parse of the lines', prepare: (scale) => parseLines(linesAt(scale)) },
    maxOfFloor,
    peers: [],
  }
}

/** The length of the text in all blocks. */
function lengthOf({ agents }: Transcript): number {
  const blocks = [...agents].flatMap((agent) => [...agent.blocks])
  return blocks.reduce((sum, block) => sum + ('text' in block ? block.text.length : 0), 0)
}

/** Streams of one long answer, live tool input, interleaved agents and short blocks. */
export const streamBench: Bench = {
  name: 'stream',
  async run(onProgress, options) {
    const texts: string[] = []
    const faults: string[] = []
    for (const kind of kinds) {
      const report = await toBench(toCase(kind)).run(onProgress, options)
      texts.push(report.text)
      faults.push(...report.faults.map((fault) => `${kind.job}: ${fault}`))
    }
    return { text: texts.join('\n\n'), faults }
  },
}
