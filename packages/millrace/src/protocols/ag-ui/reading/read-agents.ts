import type { JsonObject } from '../../../json/index.ts'
import { objectOf, wordsOf } from '../ag-ui-event.ts'

/** A sub-agent as it is read. */
export interface ReadAgent {
  readonly agent: string
  /** `suspended` until the end of the run tells what it waits for, then `paused`. */
  state: 'open' | 'suspended' | 'paused' | 'done'
}

/** The sub-agents of a stream, by the tags of their events. */
export class ReadAgents {
  readonly #agents = new Map<string, ReadAgent>()

  find(tag: string): ReadAgent | undefined {
    return this.#agents.get(tag)
  }

  /** Takes in a sub-agent; gives what its `meta_init` says. */
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

  /** An agent waits for something. */
  suspend(agent: string): void {
    for (const one of this.#agents.values()) {
      if (one.agent === agent && one.state === 'open') one.state = 'suspended'
    }
  }

  /** An agent that waited has got something that it waited for. */
  goOn(agent: string): void {
    for (const one of this.#agents.values()) {
      if (one.agent === agent && one.state === 'paused') one.state = 'open'
    }
  }

  /** Those that are in a state, those that came last first. */
  inState(state: ReadAgent['state']): readonly ReadAgent[] {
    return [...this.#agents.values()].filter((one) => one.state === state).reverse()
  }

  /** A new question: who is done is not heard of again. */
  forgetDone(): void {
    for (const [tag, { state }] of this.#agents) if (state === 'done') this.#agents.delete(tag)
  }
}
