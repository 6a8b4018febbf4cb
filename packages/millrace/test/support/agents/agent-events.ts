import {
  decodeEnvelope,
  type Envelope,
  createEnvelopeWriter,
  type EnvelopeWriterOptions,
  type AgentEvent,
  type BlockKind,
  type ContentBlock,
  type RunEnd,
  type RunInit,
} from '../../../src/events/index.ts'

/** The agent of these events. */
export const agent = 'a1'

/** Some tokens. */
export const usage = { input_tokens: 3, output_tokens: 4 }

/** The members of a final message without content. */
export const final = { final: true, delta: '' }

/** The start of a run. */
export const start: RunInit = {
  type: 'run_start',
  agent,
  runId: 'r1',
  prompt: 'hi',
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
}

/** The end of a run. */
export const end: RunEnd = {
  type: 'run_end',
  agent,
  stopReason: 'end_turn',
  steps: 1,
  usage,
  messages: [],
  files: [],
}

/** The events of a whole block. */
export function block(
  number: number,
  kind: BlockKind,
  content: ContentBlock,
  pieces: readonly string[] = [],
  inputText?: string,
): AgentEvent[] {
  const raw = inputText === undefined ? {} : { inputText }
  return [
    { type: 'block_start', agent, block: number, kind, content },
    ...pieces.map((piece): AgentEvent => ({
      type: 'block_delta',
      agent,
      block: number,
      text: piece,
    })),
    { type: 'block_end', agent, block: number, kind, content, ...raw },
  ]
}

/** The events of a block of text. */
export function text(pieces: readonly string[], number = 0): AgentEvent[] {
  return block(number, 'text', { type: 'text', text: '' }, pieces)
}

/** The lines of events. */
export function linesOf(
  events: readonly AgentEvent[],
  options: EnvelopeWriterOptions = {},
): string[] {
  const writer = createEnvelopeWriter(options)
  return [...events.flatMap((event) => writer.write(event)), ...writer.finish()]
}

/** The envelopes of events, without the agent. */
export function write(
  events: readonly AgentEvent[],
  options?: EnvelopeWriterOptions,
): Partial<Envelope>[] {
  return linesOf(events, options).map((line) => {
    const { agent: _, ...message } = decodeEnvelope(line)
    return message
  })
}
