import type { LanguageModelMiddleware } from 'ai'

type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>
type StreamResult = Awaited<ReturnType<WrapStream>>

/** A part of a model's stream, as middleware of the AI SDK reads and writes it. */
export type ModelPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never

/** The parts of a text in deltas, produced on demand. */
export function streamDeltas(deltas: readonly string[]): ReadableStream<ModelPart> {
  let next = -1
  return new ReadableStream<ModelPart>({
    pull(controller) {
      const delta = deltas[next]
      if (next++ < 0) controller.enqueue({ type: 'text-start', id: 't' })
      else if (delta !== undefined) controller.enqueue({ type: 'text-delta', id: 't', delta })
      else {
        controller.enqueue({ type: 'text-end', id: 't' })
        controller.close()
      }
    },
  })
}

/** Reads a stream of parts to its end. */
export async function readParts(
  stream: ReadableStream<ModelPart>,
  onPart: (part: ModelPart) => void,
): Promise<void> {
  const reader = stream.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) onPart(read.value)
}
