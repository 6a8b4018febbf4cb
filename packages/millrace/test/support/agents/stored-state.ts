import { isDeepStrictEqual } from 'node:util'
import type { AgentState } from '../../../src/agent/state/agent-state.ts'
import type { Message } from '../../../src/events/index.ts'
import type {
  BlockStorage,
  StatePart,
  StoredState as StoredPort,
} from '../../../src/agent/port/index.ts'
import { shownCallIdsIn } from '../../../src/agent/calls/call-ids.ts'
import { toSentMessages } from '../../../src/agent/loop/compacted-context.ts'
import { answerSoFar } from '../../../src/agent/run-result.ts'
import {
  readState,
  skippedCount,
  StateWriter,
  StoredCheckpoint,
} from '../../../src/agent/state/index.ts'

const blocks: BlockStorage = { toStored: (block) => block, restore: async (given) => given }

/** Keeps states like a server: each is written as parts and read again by another process. */
export class StoredState {
  readonly #lanes = new StoredLanes()
  #writer = new StateWriter(blocks)
  /** The whole conversation as it was last read. */
  messages: readonly Message[] = []
  /** States that differ after writing and reading. */
  readonly faults: string[] = []

  /** Writes states one after the other, and returns the last one as read. */
  async store(states: readonly AgentState[]): Promise<AgentState | undefined> {
    for (const state of states) this.#lanes.write(this.#writer.write(state))
    const read = await readState(this.#lanes, { isForModel: true })
    const whole = await readState(this.#lanes)
    if (read === undefined || whole === undefined) return undefined
    this.#writer = read.writer
    this.messages = whole.state.messages
    const last = states.at(-1)
    if (last !== undefined) this.#compare(whole.state, read.state, last)
    return read.state
  }

  /** The read state must equal the written one, without messages that no model gets any more. */
  #compare(whole: AgentState, read: AgentState, last: AgentState): void {
    const expect = (name: string, found: unknown, expected: unknown): void => {
      if (isDeepStrictEqual(found, JSON.parse(JSON.stringify(expected)))) return
      this.faults.push(`${name} ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`)
    }
    const pairs = [last, read].flatMap((one) => pairsOf(whole, one))
    expect('agents', pairs.length, 2 * pairsOf(whole, whole).length)
    for (const [one, other] of pairs) {
      const { messages, skipped: _, children: _children, ...rest } = other
      const { messages: all, children: _others, ...expected } = one
      expect('read', rest, expected)
      expect('messages', messages, all.slice(skippedCount(other)))
      expect('sent', toSentMessages(other), toSentMessages(one))
      expect('answer', answerSoFar(other), answerSoFar(one))
    }
    expect(
      'calls',
      [...new Set(shownCallIdsIn(read))].sort(),
      [...new Set(shownCallIdsIn(whole))].sort(),
    )
    expect('digest', digestOf(read), digestOf(whole))
  }
}

/** The parts and cells of a state as in a store; counts the parts that are read. */
export class StoredLanes implements StoredPort {
  readonly #cells = new Map<number, string>()
  readonly #lanes = new Map<number, string[]>()
  readonly blocks = blocks
  /** The number of parts that were read. */
  reads = 0

  write(parts: readonly StatePart[]): void {
    for (const { lane, number, body } of parts) {
      if (number === 0 && body === null) this.#cells.delete(lane)
      else if (number === 0) this.#cells.set(lane, String(body))
      else {
        const known = this.#lanes.get(lane) ?? []
        this.#lanes.set(lane, known)
        known.push(String(body))
      }
    }
  }

  async cells(): Promise<ReadonlyMap<number, string>> {
    return new Map(this.#cells)
  }

  async *parts(lane: number, { after = 0, upTo }: Parameters<StoredPort['parts']>[1] = {}) {
    const parts = (this.#lanes.get(lane) ?? []).slice(after, upTo)
    for (const [index, body] of parts.entries()) {
      this.reads++
      yield { number: after + index + 1, body }
    }
  }
}

function pairsOf(one: AgentState, other: AgentState): (readonly [AgentState, AgentState])[] {
  const children = Object.entries(one.children ?? {}).flatMap(([agent, child]) => {
    const same = other.children?.[agent]
    return same === undefined ? [] : pairsOf(child, same)
  })
  return [[one, other], ...children]
}

function digestOf(state: AgentState): string {
  return new StoredCheckpoint(state, new StateWriter(blocks), () => '').digest
}
