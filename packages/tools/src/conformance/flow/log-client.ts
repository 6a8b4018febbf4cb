import { createSession, type Frame, type Session } from 'millrace/client'
import { createSseDecoder, type Transcript } from 'millrace'
import type { FlowInput, FlowPrompt } from './flow-input.ts'

/** A client that reads a log. */
export type LogClient = ReturnType<typeof openLogClient>

interface LogClientOptions {
  readonly url: string
  readonly session: string
  readonly onFrame: (frame: Frame) => void
}

/** Opens a client, whose first connection fails where the case requires it. */
export function openLogClient(
  { reconnect_after_ms: retryDelayMs, flag, disconnect_after_messages }: FlowInput,
  { url, session: id, onFrame }: LogClientOptions,
) {
  const frames: Frame[] = []
  let cutAfter = disconnect_after_messages
  const session: Session = createSession({
    url,
    session: id,
    retryDelayMs,
    random: () => 1,
    runFields: { stream_meta_history_and_tool_results: flag },
    onFrame: (frame) => {
      frames.push(frame)
      onFrame(frame)
    },
    fetch: async (address, init) => {
      const response = await fetch(address, init)
      if (cutAfter === undefined) return response
      const cut = cutBody(response, cutAfter)
      cutAfter = undefined
      return cut
    },
  })
  return {
    /** Sends a prompt and reads the run. The client itself recovers from a cut of the case. */
    run: async (prompt: FlowPrompt) => {
      await session.run(typeof prompt === 'string' ? prompt : JSON.stringify(prompt))
    },
    watch: async () => {
      await session.watch()
    },
    frames: (): readonly Frame[] => [...frames],
    transcript: (): Transcript => session.getSnapshot().transcript,
    close: () => session.close(),
  }
}

/** Creates a response whose connection fails after this many frames. */
function cutBody(response: Response, maxMessages: number): Response {
  let left = maxMessages
  const decoder = createSseDecoder({ onEvent: () => void left-- })
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // Byte by byte, because a chunk may contain several frames.
      for (const [index] of chunk.entries()) {
        decoder.feed(chunk.subarray(index, index + 1))
        if (left > 0) continue
        controller.enqueue(chunk.subarray(0, index + 1))
        controller.error(new TypeError('The connection failed.'))
        return
      }
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body?.pipeThrough(cut) ?? null, response)
}
