import * as six from 'ai-6'
import * as seven from 'ai-7'
import { expect } from 'vitest'
import { aiSdkFormat, type AiSdkOptions } from '../../../src/protocols/ai-sdk/ui-writer.ts'
import type { FormatFrame } from '../../../src/protocols/port/log-format.ts'
import { openFormat } from '../../../src/protocols/port/open-format.ts'
import type { Envelope } from '../../../src/events/index.ts'
import type { JsonObject } from '../../../src/json/index.ts'

/** The versions of the AI SDK that must accept its format. */
export const sdks = { 6: six, 7: seven } as const

/** One of {@link sdks}. */
export type SdkVersion = keyof typeof sdks

/** Both versions, for tests of each. */
export const sdkVersions = [6, 7] as const

/** A chunk as received. */
export type SeenChunk = JsonObject & { readonly type: string }

/** A message as in a page. */
export interface SeenMessage {
  readonly id: string
  readonly role: string
  readonly metadata?: unknown
  readonly parts: readonly SeenPart[]
}

/** A part of a {@link SeenMessage}. */
export type SeenPart = JsonObject & { readonly type: string }

/** The frames of envelopes, the first of which has this id. */
export function writeUi(
  envelopes: readonly Envelope[],
  options: AiSdkOptions & { readonly session?: string } = {},
): readonly FormatFrame[] {
  const { session = envelopes[0]?.agent ?? '', ...rest } = options
  const writer = openFormat(aiSdkFormat(rest), session)
  let id = 0
  const frames = envelopes.flatMap((envelope) => writer.write(envelope, (id += envelope.span ?? 1)))
  return [...frames, ...writer.finish('done')]
}

/** The chunks in frames. */
export function toChunks(frames: readonly FormatFrame[]): readonly SeenChunk[] {
  return frames.map(({ data = '' }) => JSON.parse(data) as SeenChunk)
}

const verdicts = new Map<string, boolean>()

/** Every chunk passes the schemas of both versions. */
export async function expectValid(chunks: readonly SeenChunk[]): Promise<void> {
  for (const chunk of chunks) {
    for (const version of sdkVersions) {
      const key = `${version} ${JSON.stringify(chunk)}`
      if (verdicts.get(key) === true) continue
      const verdict = await sdks[version].uiMessageChunkSchema().validate?.(chunk)
      expect([version, chunk, verdict?.success]).toEqual([version, chunk, true])
      if (verdicts.size < 10_000) verdicts.set(key, true)
    }
  }
}

/** Returns the message that a version builds of chunks; throws errors in the stream, and errors of the stream. */
export async function accumulate(
  version: SdkVersion,
  chunks: readonly SeenChunk[],
): Promise<SeenMessage | undefined> {
  const stream = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(structuredClone(chunk))
      controller.close()
    },
  })
  let failure: unknown
  // The chunks were checked against the schema of either version.
  const read = sdks[version].readUIMessageStream as (options: {
    readonly stream: ReadableStream
    readonly onError: (error: unknown) => void
    readonly terminateOnError: boolean
  }) => AsyncIterable<unknown>
  let last: unknown
  const onError = (error: unknown): void => void (failure ??= error)
  try {
    for await (const message of read({ stream, onError, terminateOnError: true })) last = message
  } catch (error) {
    failure ??= error
  }
  if (failure !== undefined) throw failure
  return last === undefined ? undefined : (JSON.parse(JSON.stringify(last)) as SeenMessage)
}

/** The text of a message as a page shows it: without void parts. */
export function textOf({ parts }: SeenMessage): string {
  const gone = new Set(
    parts
      .filter(({ type }) => type === 'data-rollback')
      .flatMap(({ data }) => (data as { readonly parts: readonly string[] }).parts),
  )
  return parts
    .filter(({ type }) => type === 'text')
    .filter((part) => !gone.has(idOf(part)))
    .map(({ text }) => String(text))
    .join('')
}

/** The id of a part under our own name. */
function idOf({ providerMetadata }: SeenPart): string {
  const own = (providerMetadata as JsonObject | undefined)?.['millrace'] as JsonObject | undefined
  return String(own?.['id'] ?? '')
}
