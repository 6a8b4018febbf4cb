import { readUIMessageStream, type UIMessageChunk } from 'ai'
import { encodeSse, type Envelope } from 'millrace'
import { type LogFormat, openFormat } from 'millrace/dialects'
import { AGENT, cut } from '../deltas.ts'
import { streamOf } from '../peers/ai-sdk.ts'

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/** The bytes of a run on the wire in a format, with its ids. */
export function bytesInFormat(format: LogFormat, run: readonly Envelope[]): number {
  const writer = openFormat(format, AGENT)
  let bytes = 0
  run.forEach((envelope, index) => {
    for (const frame of writer.write(envelope, index + 1)) {
      bytes += bytesOf(encodeSse({ ...frame, id: index + 1 }))
    }
  })
  const done = format.done === undefined ? [] : [{ data: format.done }]
  for (const frame of [...writer.finish('done'), ...done]) bytes += bytesOf(encodeSse(frame))
  return bytes
}

/**
 * The bytes of the same answer in the AI SDK's guide: the tool of the sub-agent yields the message so far for each of its chunks, and each
 * is sent as a preliminary output.
 */
export async function bytesByGuide(answer: string, deltaLength: number): Promise<number> {
  const chunks: UIMessageChunk[] = [
    { type: 'start' },
    { type: 'text-start', id: 't' },
    ...cut(answer, deltaLength).map((delta): UIMessageChunk => ({
      type: 'text-delta',
      id: 't',
      delta,
    })),
    { type: 'text-end', id: 't' },
    { type: 'finish' },
  ]
  let bytes = 0
  for await (const output of readUIMessageStream({ stream: streamOf(chunks) })) {
    const chunk = {
      type: 'tool-output-available',
      toolCallId: 'toolu_1',
      output,
      preliminary: true,
    }
    bytes += bytesOf(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  return bytes
}
