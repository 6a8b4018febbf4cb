import { BetaMessageStream } from '@anthropic-ai/sdk/lib/BetaMessageStream'
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream'
import { expect } from 'vitest'
import type { FormatFrame } from '../../../src/protocols/port/log-format.ts'

/** The frames of each message, as responses of the API. */
export function splitMessages(frames: readonly FormatFrame[]): FormatFrame[][] {
  const messages: FormatFrame[][] = []
  for (const frame of frames) {
    if (frame.event === 'message_start' || messages.length === 0) messages.push([])
    messages.at(-1)?.push(frame)
  }
  return messages
}

/** Whether a message has ended. */
export const isWhole = (frames: readonly FormatFrame[]) => frames.at(-1)?.event === 'message_stop'
const toLines = (frames: readonly FormatFrame[]) =>
  new Response(frames.map(({ data }) => `${data}\n`).join('')).body!

/** The accumulation of a message by the official SDK, in both of its forms. */
export async function accumulate(frames: readonly FormatFrame[]) {
  const message = await MessageStream.fromReadableStream(toLines(frames)).finalMessage()
  const beta = await BetaMessageStream.fromReadableStream(toLines(frames)).finalMessage()
  expect(JSON.parse(JSON.stringify(message.content))).toEqual(
    JSON.parse(JSON.stringify(beta.content)),
  )
  return message
}
