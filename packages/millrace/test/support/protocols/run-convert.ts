import { expect } from 'vitest'
import { runCommand } from '../../../../tools/src/cli/run-command.ts'
import { decodeEnvelope, type Envelope } from '../../../src/events/index.ts'
import { createSseDecoder, type SseEvent } from '../../../src/sse/index.ts'
import { createRecordedTerminal } from '../processes/recorded-terminal.ts'

/** The bytes of a text, in chunks of a length. */
export async function* pieces(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

/** Runs `millrace convert` on piped input. */
export async function runConvert(input: AsyncIterable<Uint8Array>, ...args: string[]) {
  const terminal = createRecordedTerminal({}, input)
  const code = await runCommand(['convert', ...args], terminal)
  return { code, output: terminal.written.join(''), complaints: terminal.complaints.join('\n') }
}

/** Converts a valid text. */
export async function convert(
  text: string,
  from: string,
  to: string,
  ...more: string[]
): Promise<string> {
  const args = ['--from', from, '--to', to, ...more]
  const { code, output, complaints } = await runConvert(pieces(text, 1 << 16), ...args)
  expect(code, complaints).toBe(0)
  return output
}

/** The frames of a stream of server-sent events. */
export function framesOf(text: string): SseEvent[] {
  const frames: SseEvent[] = []
  createSseDecoder({ onEvent: (event) => frames.push(event) }).feed(text)
  return frames
}

/** The envelopes of a stream. */
export function envelopesOf(text: string): Envelope[] {
  return framesOf(text).flatMap(({ data }) => (data === '[DONE]' ? [] : decodeEnvelope(data)))
}
