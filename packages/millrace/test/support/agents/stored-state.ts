import { isDeepStrictEqual } from 'node:util'
import type { AgentState } from '../../../src/agent/index.ts'
import type { BlockStorage } from '../../../src/agent/port/index.ts'
import { readState, StateWriter } from '../../../src/agent/state/index.ts'

const blocks: BlockStorage = { toStored: (block) => block, restore: async (given) => given }

/** Keeps states as a server does: each is written as parts and read again by another process. */
export class StoredState {
  readonly #cells = new Map<number, string>()
  readonly #lanes = new Map<number, string[]>()
  #writer = new StateWriter(blocks)
  /** States that did not come back as they were. */
  readonly faults: string[] = []

  /** Writes states one after the other, and gives the last one as it is read. */
  async store(states: readonly AgentState[]): Promise<AgentState | undefined> {
    for (const state of states) this.#write(state)
    const read = await readState({
      cells: async () => new Map(this.#cells),
      parts: (lane, { upTo } = {}) => this.#read(lane, upTo),
      blocks,
    })
    if (read === undefined) return undefined
    this.#writer = read.writer
    const last = states.at(-1)
    if (last !== undefined && !isDeepStrictEqual(read.state, JSON.parse(JSON.stringify(last)))) {
      this.faults.push(`read ${JSON.stringify(read.state)}, not ${JSON.stringify(last)}`)
    }
    return read.state
  }

  #write(state: AgentState): void {
    for (const { lane, number, body } of this.#writer.write(state)) {
      if (number === 0 && body === null) this.#cells.delete(lane)
      else if (number === 0) this.#cells.set(lane, String(body))
      else this.#lanes.set(lane, [...(this.#lanes.get(lane) ?? []), String(body)])
    }
  }

  async *#read(lane: number, upTo?: number) {
    const parts = (this.#lanes.get(lane) ?? []).slice(0, upTo)
    for (const [index, body] of parts.entries()) yield { number: index + 1, body }
  }
}
