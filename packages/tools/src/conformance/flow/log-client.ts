import { createSession, type Frame, type Session } from 'millrace/client'
import type { Transcript } from 'millrace'
import { cutBody } from './cut-body.ts'
import type { FlowInput, FlowPrompt } from './flow-input.ts'

/** Reads a session with the client of the library. */
export interface LogClient {
  /** Sends a prompt and reads the run. The client itself recovers from a cut of the case. */
  run(prompt: FlowPrompt): Promise<void>
  /** Reads the rest of the log. */
  watch(): Promise<void>
  /** Returns all frames that it has read. */
  frames(): readonly Frame[]
  transcript(): Transcript
  close(): void
}

/** Options of a log client. */
export interface LogClientOptions {
  readonly url: string
  readonly session: string
  readonly onFrame: (frame: Frame) => void
}

/** Opens a client, whose first connection fails where the case requires it. */
export function openLogClient(
  { reconnect_after_ms: retryDelayMs, flag, disconnect_after_messages }: FlowInput,
  { url, session: id, onFrame }: LogClientOptions,
): LogClient {
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
    run: async (prompt) => {
      await session.run(typeof prompt === 'string' ? prompt : JSON.stringify(prompt))
    },
    watch: async () => {
      await session.watch()
    },
    frames: () => [...frames],
    transcript: () => session.getSnapshot().transcript,
    close: () => session.close(),
  }
}
