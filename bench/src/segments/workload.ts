import type { Work } from '../bench-case.ts'
import { cut, demand } from '../deltas.ts'

/** The text of a model, and the expected result of a parser. */
export interface Sample {
  readonly text: string
  /** Characters in all contents together, where a call's content is what its segment shows; not checked if undefined. */
  readonly contentLength?: number
  /** Characters in the file that is written, for parsers that show a call as a whole. */
  readonly bodyLength?: number
}

/** A parser, ours or another's, that reads the chunks of a sample. */
export interface Runner {
  readonly name: string
  /** Which of ours it is compared with: a handler also makes invocations of segments. */
  readonly role: 'parser' | 'handler'
  prepare(chunks: readonly string[], sample: Sample): Work
}

/** One kind of model text, with those that can read it. */
export interface Workload {
  readonly name: string
  /** Makes a sample of about so many characters. */
  build(length: number): Sample
  readonly ours: readonly Runner[]
  readonly peers: readonly Runner[]
}

/** Deltas of so many characters, as flat and fresh as `JSON.parse` of a provider's events leaves them. */
export function toChunks(text: string, chunkLength: number): string[] {
  return JSON.parse(JSON.stringify(cut(text, chunkLength))) as string[]
}

/** A sample that is nothing but text. */
export function plainSample(text: string): Sample {
  return { text, contentLength: text.length }
}

/** Fails the run when not all that a sample holds came out. */
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
