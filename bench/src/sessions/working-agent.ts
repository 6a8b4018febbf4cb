import { type AgentOptions, createAgent, type CreatedAgent, defineTool } from 'millrace/agent'
import { z } from 'zod'

type Model = AgentOptions['model']

/** The length of each tool result. */
export const RESULT_CHARS = 20_000

const PIECE = 'Thirty characters of an answer.'

/** A prompt after which the model is silent until it is stopped. */
export const WAIT_PROMPT = 'wait'

/** The size of the steps of an agent. */
interface WorkSize {
  /** The length of each tool result. */
  readonly resultChars: number
  /** Pieces of text before each call; no text if 0. */
  readonly pieces: number
}

/** Creates a model that calls a tool for the number of steps in the prompt, then answers. */
const createModel = (pieces: number): Model => ({
  id: 'worker',
  async *stream({ messages }, { signal } = {}) {
    const at = messages.findLastIndex(
      ({ role, content: [first] }) => role === 'user' && first?.type === 'text',
    )
    const prompt = String(messages[at]?.content[0]?.['text'])
    if (prompt === WAIT_PROMPT)
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    const step = messages.slice(at).filter(({ role }) => role === 'assistant').length
    const isCall = step < Number(prompt)
    const inputText = JSON.stringify({ page: step })
    const call = {
      type: 'tool_use',
      id: `call_${crypto.randomUUID()}`,
      name: 'read',
      input: { page: step },
    }
    const content = isCall ? call : { type: 'text', text: 'Done.' }
    const opened = isCall ? { ...call, input: {} } : { type: 'text', text: '' }
    const kind = isCall ? 'tool_call' : 'text'
    const texts = pieces > 0 ? [{ type: 'text' as const, text: PIECE.repeat(pieces) }] : []
    const block = texts.length
    yield { type: 'message_start', messageId: `m${step}`, model: 'worker' }
    for (const text of texts) {
      const start = { type: 'text', text: '' }
      yield { type: 'block_start', block: 0, kind: text.type, content: start }
      for (let count = 0; count < pieces; count++)
        yield { type: 'block_delta', block: 0, text: PIECE }
      yield { type: 'block_end', block: 0, kind: text.type, content: text }
    }
    yield { type: 'block_start', block, kind, content: opened }
    yield { type: 'block_delta', block, text: isCall ? inputText : 'Done.' }
    yield { type: 'block_end', block, kind, content, ...(isCall && { inputText }) }
    yield {
      type: 'message_end',
      outcome: 'finished',
      stopReason: isCall ? 'tool_use' : 'end_turn',
      usage: { input_tokens: 10, output_tokens: 10 },
      content: [...texts, content],
      retry: 'none',
    }
  },
})

/** Creates an agent that reads a page of text in each step, without a limit of steps. */
export function createWorkingAgent({
  resultChars = RESULT_CHARS,
  pieces = 0,
}: Partial<WorkSize> = {}): CreatedAgent {
  const read = defineTool({
    name: 'read',
    description: 'Reads a page.',
    input: z.object({ page: z.number() }),
    run: ({ page }) => `page ${page} `.padEnd(resultChars, 'the river turns the wheel '),
  })
  return createAgent({
    name: 'worker',
    model: createModel(pieces),
    tools: [read],
    maxSteps: 2_000,
    maxResultChars: 2 * resultChars,
    // A shortened context would be measured too.
    compactor: 'none',
  })
}
