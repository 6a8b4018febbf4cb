import type { Work } from '../bench-case.ts'
import { cut, demand } from '../deltas.ts'

/** The text of a model, and the expected result of a parser. */
export interface Sample {
  readonly text: string
  /** Characters in all contents together; the content of a call is that of its segment. Not checked if undefined. */
  readonly contentLength?: number
  /** Characters in the written file, for parsers that show a call as a whole. */
  readonly bodyLength?: number
}

/** A parser, ours or another's, that reads the chunks of a sample. */
export interface Runner {
  readonly name: string
  /** Our runner for the comparison: a handler also creates invocations of segments. */
  readonly role: 'parser' | 'handler'
  prepare(chunks: readonly string[], sample: Sample): Work
}

/** One kind of model text, with the parsers that can read it. */
export interface Workload {
  readonly name: string
  /** Creates a sample of about this many characters. */
  build(length: number): Sample
  readonly ours: readonly Runner[]
  readonly peers: readonly Runner[]
}

/** Deltas of this many characters, as flat and fresh as those that `JSON.parse` returns for a provider's events. */
export function toChunks(text: string, chunkLength: number): string[] {
  return JSON.parse(JSON.stringify(cut(text, chunkLength))) as string[]
}

/** A sample that contains only text. */
export function plainSample(text: string): Sample {
  return { text, contentLength: text.length }
}

/** Fails the run unless the whole content of a sample was read. */
export function demandContent(length: number, { contentLength }: Sample, who: string): void {
  demand(contentLength === undefined || contentLength === length, who)
}

/** A sample whose only content is one body. */
export function bodySample(opener: string, body: string, closer: string): Sample {
  return {
    text: `${opener}${body}${closer}`,
    contentLength: body.length,
    bodyLength: body.length,
  }
}
