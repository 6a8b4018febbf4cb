// An agent for `millrace serve` that runs every prompt as a command of its workspace.
import { createAgent } from 'millrace/agent'
import { anthropic } from 'millrace/anthropic'
import { createEmulator } from 'millrace-tools/emulator'
import { createWorkspaceTools } from 'millrace/workspace'

const { SANDBOX_MODE: sandbox = 'require', SANDBOX_NETWORK: network = 'shared' } = process.env

/** Prompts that begin with the name of a file tool and arguments call that; all others are commands. */
function toCall(prompt) {
  const [, name, input] = /^(read_file|grep_search|write_file) (\{.*\})$/s.exec(prompt) ?? []
  return name === undefined
    ? { name: 'run_bash', input: { command: prompt } }
    : { name, input: JSON.parse(input) }
}

const commands = {
  name: 'commands',
  summary: 'Runs the prompt.',
  matches: () => true,
  reply: ({ step, prompt }) =>
    step === 0
      ? { blocks: [{ type: 'tool_use', ...toCall(prompt) }] }
      : { blocks: [{ type: 'text', text: 'Done.' }] },
}
const { fetch } = createEmulator({ scenarios: [commands], pace: 'instant' })

export const agents = {
  shell: createAgent({
    name: 'shell',
    model: anthropic('emulated', { apiKey: 'any', fetch }),
    tools: [...createWorkspaceTools({ root: '.', approve: 'never', sandbox, network })],
  }),
}
