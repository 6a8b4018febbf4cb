import type { Turn } from '../replies/scenario.ts'
import type { ScriptedReply } from '../replies/scripted-reply.ts'
import { call, createDemo, say } from './tools/demo-command.ts'
import { engineerTask, historianTask, toReport } from './subagent-scenarios.ts'
import { toFields } from './tools/tool-fields.ts'

const tasks = [
  { agent_name: 'historian', task: historianTask },
  { agent_name: 'engineer', task: engineerTask },
]

/** Tasks for sub-agents that run in parallel and delegate parts of their tasks. */
export const demoSubagents = createDemo('subagents', {
  summary: 'Two agents at work side by side: one asks you, the other spawns a third',
  tools: ['spawn_subagent'],
  reply: (turn) => (turn.step === 0 ? spawn() : collect(turn)),
})

function spawn(): ScriptedReply {
  const text =
    'Two questions about one mill that have nothing to do with each other. I hand each to an agent of its own and put the answers together.'
  return {
    blocks: [{ type: 'text', text }, ...tasks.map((task) => call('spawn_subagent', task))],
  }
}

function collect({ results }: Turn): ScriptedReply {
  const lines = results.map(({ input, text, isError }) => {
    const name = String(toFields(input)['agent_name'] ?? 'agent')
    return `- **The ${name}:** ${isError ? 'did not finish. ' : ''}${toReport(text)}`
  })
  return say(
    'Here is what came back:',
    '',
    ...lines,
    '',
    'Each of them had an id, a conversation and tools of its own, and each could have been stopped alone. While one waited for you, the others went on. What all of them used is in the sum below.',
  )
}
