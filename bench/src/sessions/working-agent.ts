import { type AgentOptions, createAgent, type CreatedAgent, defineTool } from 'millrace/agent'
import { z } from 'zod'

type Model = AgentOptions['model']

/** The length of each tool result. */
export const RESULT_CHARS = 20_000

/** A prompt after which the model is silent until it is stopped. */
export const WAIT_PROMPT = 'wait'

/** Calls a tool for the number of steps in the prompt, then answers. */
const model: Model = {
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
    yield { type: 'message_start', messageId: `m${step}`, model: 'worker' }
    yield { type: 'block_start', block: 0, kind, content: opened }
    yield { type: 'block_delta', block: 0, text: isCall ? inputText : 'Done.' }
    yield { type: 'block_end', block: 0, kind, content, ...(isCall && { inputText }) }
    yield {
      type: 'message_end',
      outcome: 'finished',
      stopReason: isCall ? 'tool_use' : 'end_turn',
      usage: { input_tokens: 10, output_tokens: 10 },
      content: [content],
      retry: 'none',
    }
  },
}

/** Creates an agent that reads a page of text in each step, without a limit of steps. */
export function createWorkingAgent(): CreatedAgent {
  const read = defineTool({
    name: 'read',
    description: 'Reads a page.',
    input: z.object({ page: z.number() }),
    run: ({ page }) => `page ${page} `.padEnd(RESULT_CHARS, 'the river turns the wheel '),
  })
  return createAgent({
    name: 'worker',
    model,
    tools: [read],
    maxSteps: 2_000,
    maxResultChars: 2 * RESULT_CHARS,
    // A shortened context would be measured too.
    compactor: 'none',
  })
}
