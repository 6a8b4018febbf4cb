import { isJsonObject, type JsonObject } from '../json/index.ts'

/** Keeps track of whose messages a stream without agent fields carries; both directions share it. [XML-20] */
export interface AgentScope {
  /** Whose message it is if the message itself does not say. */
  expect(type: string, delta: string): string | undefined
  /** Takes into account whose message it was. */
  settle(type: string, delta: string, agent: string): void
}

/** Creates the scope of one stream, whose agent may be known beforehand. */
export function createAgentScope(known?: string): AgentScope {
  let current = known
  return {
    expect(type, delta) {
      if (type !== 'meta_init') return current
      const { agent_uuid: agent } = parseObject(delta)
      return typeof agent === 'string' ? agent : current
    },
    settle(type, delta, agent) {
      // The start of a sub-agent's run says who that is; what follows is still the stream's own agent's.
      if (type === 'meta_init' && (current === undefined || !isSubAgent(delta))) current = agent
      else current ??= agent
    },
  }
}

/** Says whose a message is that may name its agent, and takes it into account. */
export function agentOf(
  scope: AgentScope,
  { type, delta }: { readonly type: string; readonly delta: string },
  named?: string,
): string {
  const agent = named ?? scope.expect(type, delta) ?? ''
  // A message that names its agent says nothing about the ones that do not.
  if (named === undefined || type === 'meta_init') scope.settle(type, delta, agent)
  return agent
}

function isSubAgent(delta: string): boolean {
  const { parent_agent_uuid: parent } = parseObject(delta)
  return typeof parent === 'string' && parent !== ''
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
