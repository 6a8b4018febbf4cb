import { createAgent } from '../../../src/agent/create-agent.ts'
import { defineTool } from '../../../src/tools/define-tool.ts'
import { anything, call, text } from './agent-harness.ts'
import { spawn } from './family.ts'
import { createScriptedModel } from './scripted-model.ts'

/** The id that the models of both sub-agents give to their call. */
const SAME_ID = 'functions.run_bash:0'

/** An agent whose two sub-agents want to run commands, `rm -rf build` and `ls`; those that ran are recorded. */
export function createFamily(commands: string[]) {
  const shell = defineTool({
    name: 'run_bash',
    description: '',
    input: anything,
    needsApproval: true,
    run: ({ command }) => {
      commands.push(String(command))
      return `ran ${String(command)}`
    },
  })
  const createChild = (name: string, command: string) =>
    createAgent({
      name,
      description: name,
      model: createScriptedModel([{ content: [call(SAME_ID, 'run_bash', { command })] }]),
      tools: [shell],
    })
  const spawnBoth = ['first', 'second'].map((name, index) =>
    spawn(`spawn:${index}`, { agent_name: name, task: `the ${name} task` }),
  )
  return createAgent({
    name: 'family',
    model: createScriptedModel([{ content: spawnBoth }, { content: [text('Both are done.')] }]),
    subagents: [createChild('first', 'rm -rf build'), createChild('second', 'ls')],
  })
}
