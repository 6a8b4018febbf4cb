import type { JsonObject } from '../../../json/index.ts'
import { objectOf, wordsOf } from '../ag-ui-run.ts'

/** A sub-agent of the stream. */
export interface ReadAgent {
  readonly agent: string
  /** `suspended` until the end of the run lists its pending calls; then `paused`. */
  state: 'open' | 'suspended' | 'paused' | 'done'
}

/** The sub-agents of a stream, by the tags of their events. */
export class ReadAgents {
  readonly #agents = new Map<string, ReadAgent>()

  find(tag: string): ReadAgent | undefined {
    return this.#agents.get(tag)
  }

  /** Adds a sub-agent and returns its `meta_init`. */
  begin(tag: string, event: JsonObject, root: string): JsonObject {
    const { agent = tag, model } = objectOf(event['metadata'])
    const id = wordsOf(agent) ?? tag
    this.#agents.set(tag, { agent: id, state: 'open' })
    const parent = wordsOf(event['parentSubagentRunId'])
    const parentToolUse = wordsOf(event['parentToolCallId'])
    return {
      format: 'json',
      user_query: wordsOf(event['description']) ?? '',
      agent_uuid: id,
      parent_agent_uuid: (parent !== undefined && this.#agents.get(parent)?.agent) || root,
      model: wordsOf(model) ?? '',
      protocol_version: 1,
      run_id: tag,
      name: wordsOf(event['name']) ?? 'sub-agent',
      ...(parentToolUse !== undefined && { parent_tool_use_id: parentToolUse }),
    }
  }

  /** Marks a running agent as suspended. */
  suspend(agent: string): void {
    for (const one of this.#agents.values()) {
      if (one.agent === agent && one.state === 'open') one.state = 'suspended'
    }
  }

  /** Marks a paused agent as running after an answer. */
  resume(agent: string): void {
    for (const one of this.#agents.values()) {
      if (one.agent === agent && one.state === 'paused') one.state = 'open'
    }
  }

  /** Lists the agents in a state, the latest first. */
  inState(state: ReadAgent['state']): readonly ReadAgent[] {
    return [...this.#agents.values()].filter((one) => one.state === state).reverse()
  }

  /** Removes ended agents at a new prompt. They have no further events. */
  forgetDone(): void {
    for (const [tag, { state }] of this.#agents) if (state === 'done') this.#agents.delete(tag)
  }
}
