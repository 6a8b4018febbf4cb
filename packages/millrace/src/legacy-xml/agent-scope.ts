import { parseJsonObject } from '../json/index.ts'

/** Tracks the agent of each message in a stream without agent fields; encoder and decoder share it. [XML-20] */
export interface AgentScope {
  /** Returns the agent of a message that does not name it. */
  expect(type: string, delta: string): string | undefined
  settle(type: string, delta: string, agent: string): void
}

/** Creates the scope of one stream, whose agent may be known in advance. */
export function createAgentScope(known?: string): AgentScope {
  let current = known
  return {
    expect(type, delta) {
      if (type !== 'meta_init') return current
      const { agent_uuid: agent } = parseJsonObject(delta) ?? {}
      return typeof agent === 'string' ? agent : current
    },
    settle(type, delta, agent) {
      // `meta_init` of a sub-agent names the sub-agent; the messages after it still belong to the stream's own
      // agent.
      if (type === 'meta_init' && (current === undefined || !isSubAgent(delta))) current = agent
      else current ??= agent
    },
  }
}

/** Returns the agent of a message that may name it, and records it. */
export function agentOf(
  scope: AgentScope,
  { type, delta }: { readonly type: string; readonly delta: string },
  named?: string,
): string {
  const agent = named ?? scope.expect(type, delta) ?? ''
  // A message that names its agent does not affect messages without a name.
  if (named === undefined || type === 'meta_init') scope.settle(type, delta, agent)
  return agent
}

function isSubAgent(delta: string): boolean {
  const { parent_agent_uuid: parent } = parseJsonObject(delta) ?? {}
  return typeof parent === 'string' && parent !== ''
}
