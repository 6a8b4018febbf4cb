import { createSegmentParser, toToolInvocations } from 'millrace/segments'
import type { SegmentEvent, SegmentParserOptions } from 'millrace/segments'
import { createRandomNumbers, toParserOptions } from '../settings/index.ts'
import type { LabSettings } from '../settings/index.ts'

/** State of a comparison. */
export interface Comparison {
  readonly done: number
  readonly total: number
  /** Names of the chunkings with another result; none is expected. */
  readonly different: readonly string[]
}

interface ChunkPlan {
  readonly name: string
  /** Creates a sequence of chunk lengths; chunks may split characters. */
  readonly createLengths: () => () => number
}

const RANDOM_PLANS = 50

/** The longest chunk of a random chunking. */
const MAX_RANDOM_LENGTH = 24

const chunkPlans: readonly ChunkPlan[] = [
  { name: 'whole', createLengths: () => () => Infinity },
  { name: 'unit by unit', createLengths: () => () => 1 },
  ...Array.from({ length: RANDOM_PLANS }, (_, index) => toRandomPlan(index + 1)),
]

function toRandomPlan(seed: number): ChunkPlan {
  const createLengths = () => {
    const random = createRandomNumbers(seed)
    return () => 1 + Math.floor(random() ** 2 * MAX_RANDOM_LENGTH)
  }
  return { name: `random ${seed}`, createLengths }
}

interface CompareOptions {
  readonly signal: AbortSignal
  readonly onProgress: (comparison: Comparison) => void
}

/** Parses a text whole, by code unit and in 50 random chunkings, and compares segments and invocations. */
export async function compareChunkings(
  settings: LabSettings,
  { signal, onProgress }: CompareOptions,
): Promise<void> {
  const options = toParserOptions(settings)
  const different: string[] = []
  let expected: string | undefined
  for (const [index, plan] of chunkPlans.entries()) {
    // The page can render between two chunkings.
    await new Promise((resolve) => setTimeout(resolve))
    if (signal.aborted) return
    const result = parse(settings.text, options, plan)
    expected ??= result
    if (result !== expected) different.push(plan.name)
    onProgress({ done: index + 1, total: chunkPlans.length, different: [...different] })
  }
}

/** Returns the result with joined deltas, whose boundaries may differ. */
function parse(text: string, options: SegmentParserOptions, { createLengths }: ChunkPlan): string {
  const nextLength = createLengths()
  const parser = createSegmentParser(options)
  const events: SegmentEvent[] = []
  let from = 0
  while (from < text.length) {
    const end = from + nextLength()
    for (const event of parser.feed(text.slice(from, end))) events.push(event)
    from = end
  }
  for (const event of parser.finalize()) events.push(event)
  return JSON.stringify([joinDeltas(events), toToolInvocations(events)])
}

function joinDeltas(events: readonly SegmentEvent[]): readonly unknown[] {
  const joined: unknown[] = []
  let deltas: string[] = []
  for (const event of events) {
    if (event.type === 'SEGMENT_CONTENT') deltas.push(event.payload.delta)
    else {
      joined.push(deltas.join(''), event)
      deltas = []
    }
  }
  return joined
}
