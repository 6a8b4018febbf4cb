import type { AgentRun } from '../../../src/agent/agent-run.ts'
import type { AgentState } from '../../../src/agent/state/agent-state.ts'
import { answerPause } from '../../../src/agent/calls/answer-pause.ts'
import { unreportedAnswers } from '../../../src/agent/calls/report-answers.ts'
import type { Checkpoint, RunInput } from '../../../src/agent/agent.ts'
import { createRunControl } from '../../../src/agent/run-control.ts'
import type { CreatedAgent } from '../../../src/agent/create-agent.ts'
import type { PauseAnswers } from '../../../src/agent/port/answers.ts'
import { pendingOf } from '../../../src/agent/state/pending-calls.ts'
import { withVoidCalls } from '../../../src/agent/calls/call-ids.ts'
import { isMillraceError } from '../../../src/errors/index.ts'
import type { AgentEvent, Message } from '../../../src/events/index.ts'
import { createSessionLog, type SessionLog } from './session-log.ts'
import { settle, type Stage } from './stage.ts'
import { StoredState } from './stored-state.ts'

/** The options of a play. */
export interface Cast {
  readonly agent: CreatedAgent
  readonly stage: Stage
  /** Whether reads take time too, so that other operations may happen between any two events. */
  readonly isSlow: boolean
  /** The next choice, a number from 0; 0 if there is no choice left. */
  readonly choose: () => number
}

type Item = AgentEvent | Checkpoint

/** More is never needed: a longer play hangs. */
const MAX_TURNS = 4000

/** One run, or its part between two pauses, as read by a client. */
interface Reading {
  readonly run: AgentRun
  readonly items: Item[]
  isOver: boolean
  error: unknown
}

/** A session that is played until its run has ended and no user acts any more. */
export class PlayedSession {
  readonly #cast: Cast
  readonly log: SessionLog = createSessionLog()
  /** The stored data. */
  state: AgentState | undefined
  readonly #stored = new StoredState()
  readonly faults: string[] = this.#stored.faults
  /** The number of input tokens that its last run reports, with its sub-agents. */
  tokens = 0
  /** Whether a process has died since the start of the run. */
  hasDied = false
  /** The final answer of the last run. */
  answer = ''
  #steers: { readonly agent: string; readonly prompt: string }[] = []
  #taken: string[] = []
  #prompts = 0

  constructor(cast: Cast) {
    this.#cast = cast
  }

  /** The whole conversation, of which the state may lack the beginning. */
  get messages(): readonly Message[] {
    return this.#stored.messages
  }

  /** Stores answers while others are pending, like a server. */
  keep(answered: AgentState): void {
    this.state = unreportedAnswers(answered).reduce((state, { event, change }) => {
      this.log.write([event])
      return change(state)
    }, answered)
    this.faults.push(...this.log.faults(this.state))
  }

  /** Plays one run, or the rest of it. */
  async play(input: RunInput): Promise<void> {
    const { agent, stage, isSlow } = this.#cast
    this.#steers = []
    this.#taken = []
    if (input.prompt !== undefined) this.hasDied = false
    const control = createRunControl()
    const reading: Reading = {
      run: agent.run(input, { control }),
      items: [],
      isOver: false,
      error: undefined,
    }
    this.log.reopen()
    void read(reading, isSlow ? stage : undefined)
    for (let turn = 0; ; turn++) {
      await settle()
      if (reading.isOver) {
        this.answer = (await reading.run.result()).finalAnswer
        return this.#finish(reading, input)
      }
      if (turn > MAX_TURNS) return void this.faults.push('it hangs')
      if (stage.waiting() === 0 && !(await hasMoved(reading, stage)))
        return void this.faults.push('it hangs with nothing to wait for')
      if (!reading.isOver && this.#act(reading) === 'died') return this.#die(reading, input)
    }
  }

  /** The next action of a user or a program. */
  #act(reading: Reading): 'died' | undefined {
    const { stage, choose } = this.#cast
    const { act, pick } = toAct(choose())
    if (act === 'die') return 'died'
    if (act === 'stop') reading.run.stop()
    else if (act === 'stop_one') reading.run.stop(pickOf(agentsOf(reading), pick))
    else if (act === 'steer') this.#steer(reading, pick)
    else if (act === 'answer') this.#answer(reading, pick)
    else stage.release(pick)
    return undefined
  }

  #steer({ run, ...reading }: Reading, pick: number): void {
    const agents = agentsOf({ run, ...reading })
    const agent = pickOf(agents, pick)
    const prompt = `steer ${++this.#prompts}`
    if (run.steer(prompt, agent === agents[0] ? undefined : agent))
      this.#steers.push({ agent: agent ?? '', prompt })
  }

  #answer({ run, items }: Reading, pick: number): void {
    const answers = toAnswers(lastState(items), pick)
    try {
      const isNew = run.answer(answers)
      if (isNew) this.#taken.push(...idsOf(answers))
    } catch (error) {
      if (!isMillraceError(error) || !['not_found', 'conflict'].includes(error.code)) throw error
    }
  }

  async #finish({ items, error }: Reading, input: RunInput): Promise<void> {
    if (error !== undefined) this.faults.push(`it throws ${String(error)}`)
    this.log.write(items)
    this.state = await this.#store(items, input)
    const root = this.state?.agent
    const ends = items.filter((item) => item.type === 'run_end' && item.agent === root)
    for (const end of ends) if (end.type === 'run_end') this.tokens = end.usage.input_tokens
    if (ends.length !== 1 || items.at(-1) !== ends[0]) this.faults.push('not one run_end, last')
    this.faults.push(
      ...this.log.faults(this.state),
      ...this.#lostWords(items),
      ...this.#lostAnswers(),
    )
  }

  async #store(items: readonly Item[], input: RunInput): Promise<AgentState | undefined> {
    const states = statesIn(items)
    return states.length === 0 ? clone(input.state) : this.#stored.store(states)
  }

  /** An accepted message of a user is emitted, unless its agent ended first in some other way. */
  #lostWords(items: readonly Item[]): string[] {
    return this.#steers.flatMap(({ agent, prompt }) => {
      const isReceived = items.some(
        (item) => item.type === 'user_message' && item.prompt === prompt,
      )
      const isBroken = items.some(
        (item) =>
          item.type === 'run_end' &&
          (item.agent === agent || item.agent === this.state?.agent) &&
          ['aborted', 'error'].includes(item.stopReason),
      )
      return isReceived || isBroken ? [] : [`"${prompt}" to ${agent} is lost`]
    })
  }

  #lostAnswers(): string[] {
    if (this.state === undefined) return []
    const { calls, approvals } = pendingOf(this.state)
    const pending = [
      ...calls.map(({ id }) => `result ${id}`),
      ...approvals.map(({ id }) => `decision ${id}`),
    ]
    return this.#taken.filter((id) => pending.includes(id)).map((id) => `the ${id} is lost`)
  }

  /** The process dies: only stored data is left. Tools start only after that is stored. */
  async #die({ items }: Reading, input: RunInput): Promise<void> {
    const { stage, choose } = this.#cast
    stage.clear()
    this.hasDied = true
    const started = items.findLastIndex(
      (item) => item.type === 'tool_status' && item.stage === 'started',
    )
    const length = items.length - (choose() % Math.max(1, items.length - started))
    const stored = items.slice(0, length)
    if (stored.at(-1)?.type === 'checkpoint') stored.pop()
    this.log.write(stored)
    this.log.mend()
    this.faults.push(...this.log.faults(lastState(stored)).filter((fault) => !isOfTheDead(fault)))
    const state = await this.#store(stored, input)
    this.state = state && keepCallIds(state, stored)
  }
}

/** Keeps the ids of shown calls, like a server that finds them in its log. [CALL-1] */
export function keepCallIds(state: AgentState, items: readonly Item[]): AgentState {
  return items.reduce(
    (kept, item) =>
      item.type === 'block_start' && item.kind === 'tool_call'
        ? withVoidCalls(kept, item.agent, [String(item.content['id'])])
        : kept,
    state,
  )
}

/** A dead process leaves runs and calls open. */
function isOfTheDead(fault: string): boolean {
  return /has no result|at the end|nobody was told|held as pending/.test(fault)
}

/** The possible actions during a run, by probability; most of the time the run merely continues. */
const liveActs: readonly (readonly [act: LiveAct, share: number])[] = [
  ['go_on', 100],
  ['answer', 20],
  ['steer', 4],
  ['stop_one', 2],
  ['stop', 1],
  ['die', 1],
]
const shares = liveActs.reduce((sum, [, share]) => sum + share, 0)

type LiveAct = 'go_on' | 'answer' | 'steer' | 'stop_one' | 'stop' | 'die'

/** Reads a choice: the action and its target. */
function toAct(choice: number): { readonly act: LiveAct; readonly pick: number } {
  let left = choice % shares
  const found = liveActs.find(([, share]) => (left -= share) < 0)
  return { act: found?.[0] ?? 'go_on', pick: Math.floor(choice / shares) }
}

async function read(reading: Reading, stage: Stage | undefined): Promise<void> {
  try {
    for await (const item of reading.run) {
      reading.items.push(item)
      if (item.type !== 'checkpoint') await stage?.pass()
    }
  } catch (error) {
    reading.error = error
  }
  reading.isOver = true
}

/** Besides the stage, only timers without delay may be awaited. */
async function hasMoved(reading: Reading, stage: Stage): Promise<boolean> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    await settle()
    if (reading.isOver || stage.waiting() > 0) return true
  }
  return false
}

function agentsOf({ items }: Reading): string[] {
  return items.flatMap((item) => (item.type === 'run_start' ? [item.agent] : []))
}

function statesIn(items: readonly Item[]): readonly AgentState[] {
  return items.flatMap((item) => (item.type === 'checkpoint' ? [item.state] : []))
}

/** The state that was stored with the last event. */
function lastState(items: readonly Item[]): AgentState | undefined {
  return statesIn(items).at(-1)
}

function pickOf<T>(list: readonly T[], pick: number): T | undefined {
  return list[pick % Math.max(1, list.length)]
}

/** Some answers to pending calls, right and wrong ones. */
export function toAnswers(state: AgentState | undefined, pick: number): PauseAnswers {
  const { calls, approvals } = state === undefined ? { calls: [], approvals: [] } : pendingOf(state)
  const all = [
    ...calls.map(({ id }) => ({ results: [{ toolUseId: id, content: `answer ${pick % 2}` }] })),
    ...approvals.map(({ id }) => ({ decisions: [toDecision(id, pick)] })),
  ]
  const stray = { decisions: [toDecision(`t${pick % 9}`, pick)] }
  return pick % 7 === 6 ? stray : (pickOf(all, pick) ?? stray)
}

function toDecision(callId: string, pick: number) {
  const kinds = [
    { outcome: 'approved' },
    { outcome: 'refused', reason: 'no' },
    { outcome: 'approved', input: { edited: true } },
  ] as const
  return { toolUseId: callId, ...(kinds[pick % 3] ?? kinds[0]) }
}

function idsOf({ results = [], decisions = [] }: PauseAnswers): string[] {
  return [
    ...results.map(({ toolUseId: callId }) => `result ${callId}`),
    ...decisions.map(({ toolUseId: callId }) => `decision ${callId}`),
  ]
}

/** Answers to all pending calls. */
export function allAnswers(state: AgentState): PauseAnswers {
  const { calls, approvals } = pendingOf(state)
  return {
    results: calls.map(({ id }) => ({ toolUseId: id, content: 'answer 0' })),
    decisions: approvals.map(({ id }) => toDecision(id, 0)),
  }
}

/** Stores answers to a paused run, if they are right. */
export function keepAnswers(state: AgentState, answers: PauseAnswers) {
  try {
    return answerPause(state, answers)
  } catch (error) {
    if (isMillraceError(error) && ['not_found', 'conflict'].includes(error.code)) return undefined
    throw error
  }
}

function clone<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T)
}
