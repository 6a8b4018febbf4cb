import {
  createDecoder,
  createTranscript,
  type Envelope,
  encodeEnvelope,
  reduceTranscript,
  type Transcript,
} from 'millrace'

/** The agent of every measured stream. */
export const AGENT = 'a0000000-0000-4000-8000-000000000001'

/** Prose with quotes, line ends and characters beyond ASCII, of a given length. */
export function prose(length: number): string {
  const sentence = 'The wheel turns "slowly" at first; müde, 水車, then 🌊 fast.\nA line follows. '
  return sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length)
}

/** Cuts a text into deltas of a number of characters. */
export function cut(text: string, length: number): string[] {
  const deltas: string[] = []
  for (let at = 0; at < text.length; at += length) deltas.push(text.slice(at, at + length))
  return deltas
}

/** The envelopes of one text block. */
export function textEnvelopes(deltas: readonly string[]): Envelope[] {
  const envelope = (delta: string, final: boolean): Envelope => ({
    type: 'text',
    agent: AGENT,
    final,
    delta,
  })
  return [...deltas.map((delta) => envelope(delta, false)), envelope('', true)]
}

/** The first envelope of a run. */
export const initEnvelope: Envelope = {
  type: 'meta_init',
  agent: AGENT,
  final: true,
  delta: JSON.stringify({ format: 'json', user_query: 'q', agent_uuid: AGENT, model: 'm' }),
}

/** The lines of envelopes, as in SSE frames. */
export function toLines(envelopes: readonly Envelope[]): string[] {
  return envelopes.map(encodeEnvelope)
}

/** The transcript after all lines of a log. */
export function reduceLines(lines: readonly string[], from = createTranscript()): Transcript {
  const decoder = createDecoder()
  return lines.reduce((state, line) => reduceTranscript(state, decoder.decode(line)), from)
}

/** The frames of lines with ids from 1, in network chunks of 16 KiB. */
export function toNetworkChunks(lines: readonly string[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(
    lines.map((line, index) => `id: ${index + 1}\ndata: ${line}\n\n`).join(''),
  )
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 16_384) chunks.push(bytes.slice(at, at + 16_384))
  return chunks
}

/** The minimum work of any reader of the same lines. */
export function parseLines(lines: readonly string[]): () => unknown {
  return () => {
    let total = 0
    for (const line of lines) total += (JSON.parse(line) as Envelope).delta.length
    return total
  }
}

/** Fails the run if a contender has not done all of its work. */
export function demand(isRight: boolean, who: string): void {
  if (!isRight) throw new Error(`${who} did not give the whole content back.`)
}
