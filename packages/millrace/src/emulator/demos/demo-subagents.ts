import type { Turn } from '../scenario.ts'
import type { ScriptedReply } from '../scripted-reply.ts'
import { call, createDemo, say } from './demo-command.ts'
import { toFields } from './tool-words.ts'

const tasks = [
  { name: 'historian', task: 'When was the mill at the Lower Brook built, and by whom?' },
  { name: 'engineer', task: 'How much power does a fall of four metres give to a wheel?' },
  { name: 'naturalist', task: 'Who lives in a millrace that is not used any more?' },
]

/** Work that is handed to others. */
export const demoSubagents = createDemo('subagents', {
  summary: 'Three tasks handed to sub-agents, which work side by side',
  tools: ['spawn_subagent'],
  reply: (turn) => (turn.step === 0 ? spawn() : collect(turn)),
})

function spawn(): ScriptedReply {
  const text =
    'Three questions that have nothing to do with each other. I will hand each to an agent of its own and put the answers together.'
  return {
    blocks: [{ type: 'text', text }, ...tasks.map((task) => call('spawn_subagent', task))],
  }
}

function collect({ results }: Turn): ScriptedReply {
  const lines = results.map(({ input, text, isError }) => {
    const name = String(toFields(input)['name'] ?? 'agent')
    return `- **${name}:** ${isError ? `could not do it (${text})` : text}`
  })
  return say(
    'Here is what came back:',
    '',
    ...lines,
    '',
    'To be honest about what you have seen: in this version `spawn_subagent` is a tool like any other, whose answers were written beforehand. Agents that really work, each in a lane of its own below its call, are what the stream is made for (`parent_agent_uuid` and `parent_tool_use_id` say whose they are).',
  )
}
