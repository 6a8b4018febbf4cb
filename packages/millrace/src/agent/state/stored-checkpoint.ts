import { addToDigest, emptyDigest, toDigestText, toPlainMessages } from '../../events/index.ts'
import type { AgentCheckpoint, PendingCalls, RunProgress, StatePart } from '../port/index.ts'
import type { AgentState } from './agent-state.ts'
import { isBetweenSteps } from './agent-tree.ts'
import { answersIn, pendingOf } from './pending-calls.ts'
import { totalsOf } from './run-totals.ts'
import type { StateWriter } from './state-writer.ts'

/** A state of a run and its writer. Most checkpoints are skipped, so everything is computed on demand. */
export class StoredCheckpoint implements AgentCheckpoint {
  readonly type = 'checkpoint'
  readonly state: AgentState
  readonly writer: StateWriter
  readonly isAlone: boolean
  readonly #answer: () => string

  constructor(state: AgentState, writer: StateWriter, answer: () => string, isAlone = false) {
    this.state = state
    this.writer = writer
    this.#answer = answer
    this.isAlone = isAlone
  }

  get pending(): PendingCalls {
    return { ...pendingOf(this.state), answered: answersIn(this.state) }
  }

  get run(): RunProgress {
    const { runId: id, steps } = this.state
    return { id, steps, ...totalsOf(this.state) }
  }

  get answer(): string {
    return this.#answer()
  }

  get isCut(): boolean {
    return isBetweenSteps(this.state)
  }

  get digest(): string {
    const { skipped, messages } = this.state
    return toDigestText(addToDigest(skipped?.digest ?? emptyDigest, toPlainMessages(messages)))
  }

  encode(): readonly StatePart[] {
    return this.writer.write(this.state)
  }

  place(): object {
    return this.writer.place(this.state)
  }
}
