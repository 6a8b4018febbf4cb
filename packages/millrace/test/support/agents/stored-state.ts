import { isDeepStrictEqual } from 'node:util'
import type { AgentState } from '../../../src/agent/index.ts'
import { readState, StateWriter } from '../../../src/agent/state/index.ts'

const options = { toStoredBlock: <Block>(block: Block): Block => block }

/** Keeps states as a server does: each is written as parts and read again by another process. */
export class StoredState {
  readonly #collections = new Map<string, Map<number, string>>()
  #writer = new StateWriter(options)
  /** States that did not come back as they were. */
  readonly faults: string[] = []

  /** Writes states one after the other, and gives the last one as it is read. */
  async store(states: readonly AgentState[]): Promise<AgentState | undefined> {
    for (const state of states) this.#write(state)
    const read = await readState((collection) => this.#read(collection), options)
    if (read === undefined) return undefined
    this.#writer = read.writer
    const last = states.at(-1)
    if (last !== undefined && !isDeepStrictEqual(read.state, JSON.parse(JSON.stringify(last)))) {
      this.faults.push(`read ${JSON.stringify(read.state)}, not ${JSON.stringify(last)}`)
    }
    return read.state
  }

  #write(state: AgentState): void {
    for (const { collection, number, body } of this.#writer.write(state)) {
      const parts = this.#collections.get(collection) ?? new Map<number, string>()
      this.#collections.set(collection, parts)
      if (body === null) parts.delete(number)
      else parts.set(number, body)
    }
  }

  async *#read(collection: string) {
    const parts = [...(this.#collections.get(collection) ?? [])]
    for (const [number, body] of parts.toSorted(([a], [b]) => a - b)) yield { number, body }
  }
}
