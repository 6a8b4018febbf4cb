import { createSseDecoder } from 'millrace'
import type { SeenFrame } from './follow-session.ts'

/** Reads the stream of a response to its end, frame by frame; throws if it was refused or has no end. */
export async function readAnswer(response: Response): Promise<readonly SeenFrame[]> {
  if (!response.ok) throw new Error(`Refused with ${response.status}: ${await response.text()}`)
  const frames: SeenFrame[] = []
  let isDone = false
  const decoder = createSseDecoder({
    onEvent: ({ id, data }) => {
      if (data === '[DONE]') isDone = true
      else frames.push({ id: Number(id), data })
    },
  })
  for await (const chunk of response.body ?? []) decoder.feed(chunk)
  if (!isDone) throw new Error('A stream was interrupted.')
  return frames
}
