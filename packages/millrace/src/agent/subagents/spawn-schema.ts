import type { ToolSchema } from '../../events/index.ts'
import type { Subagent } from '../agent.ts'

/** The tool with which a model gives a task to another agent. */
export const SPAWN_SUBAGENT = 'spawn_subagent'

/** Creates the schema of the tool that spawns sub-agents, which lists them. */
export function spawnSchema(subagents: ReadonlyMap<string, Subagent>): ToolSchema {
  const list = [...subagents.values()].map(
    ({ name, model, description = '' }) =>
      `- ${name}${model === undefined ? '' : ` (${model})`}: ${description}`,
  )
  return {
    name: SPAWN_SUBAGENT,
    description: [
      'Hands a task to another agent, which works on it alone and answers with what it found. Several can work at once: call this several times in one message. It sees nothing of this conversation, so the task must say all it needs. The agents:',
      ...list,
    ].join('\n'),
    inputSchema: {
      type: 'object',
      properties: {
        agent_name: { type: 'string', enum: [...subagents.keys()] },
        task: { type: 'string', description: 'What to do, with all that the agent must know.' },
        resume_agent_uuid: {
          type: 'string',
          description: 'The uuid of an agent that answered before, to continue with it.',
        },
      },
      required: ['agent_name', 'task'],
    },
  }
}
