import type { Agent } from 'millrace/agent'
import { toolCall } from './content.ts'
import type { Playing } from './playing.ts'

const usage = { input_tokens: 0, output_tokens: 0 }

const contents = {
  text: { kind: 'text', content: { type: 'text', text: '' } },
  tool: { kind: 'tool_call', content: { type: 'tool_use', ...toolCall, input: {} } },
} as const

/** An agent that emits the current content. */
export function createScriptedAgent(current: () => Playing): Agent {
  return {
    name: 'scripted',
    async *run({ agent }) {
      const playing = current()
      const { kind, content } = contents[playing.content.kind]
      yield { type: 'run_start', agent, runId: 'r', prompt: 'go', model: 'm', messages: [] }
      yield { type: 'block_start', agent, block: 0, kind, content }
      for await (const text of playing.pieces())
        yield { type: 'block_delta', agent, block: 0, text }
      const inputText = playing.content.pieces.join('')
      const isCall = kind === 'tool_call'
      yield { type: 'block_end', agent, block: 0, kind, content, ...(isCall && { inputText }) }
      if (isCall) {
        const { id: callId, name } = toolCall
        const result = { callId, name, text: 'Written.', images: [], isError: false }
        yield { type: 'tool_result', agent, ...result }
      }
      const end = { stopReason: 'end_turn', steps: 1, usage, messages: [], files: [] }
      yield { type: 'run_end', agent, ...end }
    },
  }
}
