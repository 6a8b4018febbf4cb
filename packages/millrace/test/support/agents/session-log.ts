import type { AgentState } from '../../../src/agent/state/agent-state.ts'
import { answerPause } from '../../../src/agent/calls/answer-pause.ts'
import type { Checkpoint } from '../../../src/agent/agent.ts'
import type { PendingCall } from '../../../src/agent/port/answers.ts'
import { pendingOf } from '../../../src/agent/state/pending-calls.ts'
import { createFrameReducer } from '../../../src/testing/frame-reducer.ts'
import {
  createEnvelopeWriter,
  type EnvelopeWriter,
  createVerifier,
  type AgentEvent,
  createFinalAnswer,
  type FinalAnswer,
  isPauseReason,
} from '../../../src/events/index.ts'
import { parseJsonObject } from '../../../src/json/index.ts'
import { createTranscript } from '../../../src/client/transcript/index.ts'

/** The content of one agent. */
interface Track {
  phase: 'idle' | 'running' | 'paused' | 'dead'
  /** Calls without a result. */
  readonly open: Set<string>
  readonly answered: Set<string>
  /** Its content in a step that has not ended. */
  readonly loose: Set<string>
  showsLoose: boolean
}

/** The log of a session, and its defects. */
export interface SessionLog {
  /** Adds the output of a run. */
  write(items: readonly (AgentEvent | Checkpoint)[]): void
  /** Closes blocks that the death of a process has left open, and voids content that will be repeated. */
  mend(): void
  /** Starts the part that another process, or another request, writes. */
  reopen(): void
  /** Returns the violations of the rules, at the end of a run with this state. */
  faults(state: AgentState | undefined): string[]
  /** Everything that was added. */
  lines(): readonly string[]
  /** The marks of the calls that users were asked to approve, by id. */
  readonly shownMarks: ReadonlyMap<string, unknown>
  /** The final answer of the root agent, as a server follows it. */
  answer(): string
}

/** Creates a log that checks every added event. */
export function createSessionLog(): SessionLog {
  const tracks = new Map<string, Track>()
  const verifier = createVerifier()
  const found: string[] = []
  const written: string[] = []
  const shownMarks = new Map<string, unknown>()
  const asked = new Set<string>()
  /** The ids of all calls, and the agents of those that are void. */
  const calls = new Set<string>()
  const voided = new Map<string, string>()
  let page = createTranscript()
  const reduce = createFrameReducer()
  let writer: EnvelopeWriter = createEnvelopeWriter()
  let answer: FinalAnswer | undefined

  const push = (lines: readonly string[]): void => {
    written.push(...lines)
    for (const line of lines)
      found.push(...verifier.push(line).map(({ rule, message }) => `${rule}: ${message} ${line}`))
    for (const line of lines) page = reduce(page, line)
  }

  const trackOf = (agent: string): Track => {
    const fresh: Track = {
      phase: 'idle',
      open: new Set(),
      answered: new Set(),
      loose: new Set(),
      showsLoose: false,
    }
    const track = tracks.get(agent) ?? fresh
    tracks.set(agent, track)
    return track
  }

  const take = (event: AgentEvent): void => {
    push(writer.write(event))
    answer ??= createFinalAnswer(event.agent)
    answer.take(event)
    if (event.type === 'awaiting_frontend_tools' || event.type === 'awaiting_approval')
      for (const { id } of event.calls) asked.add(`${event.type} ${event.agent}/${id}`)
    if (event.type === 'awaiting_approval')
      for (const { id, inputText } of event.calls)
        shownMarks.set(id, parseJsonObject(inputText)?.['mark'])
    found.push(...nameFaults(event))
    const fault = follow(trackOf(event.agent), event)
    if (fault !== undefined) found.push(`${event.agent}: ${fault}`)
  }

  /** No two calls have one id. [CALL-1] */
  const nameFaults = (event: AgentEvent): string[] => {
    if (event.type === 'rollback')
      for (const id of trackOf(event.agent).loose) voided.set(id, event.agent)
    if (event.type !== 'block_end' || event.kind !== 'tool_call') return []
    const id = String(event.content['id'])
    const mayRepeat = voided.get(id) === event.agent
    const isTaken = calls.has(id) && !mayRepeat
    calls.add(id)
    voided.delete(id)
    return isTaken ? [`two calls have the id ${id}`] : []
  }

  /** The pending calls of a page are exactly those of the state. [CALL-3] */
  const pageFaults = (state: AgentState): string[] => {
    // A run with all of its answers continues; it has not emitted them yet.
    if (answerPause(state, {}).complete) return []
    const { calls: awaited, approvals } = pendingOf(state)
    const toText = (one: object) => JSON.stringify(one)
    const held = [
      ...awaited.map((call) => ({ ...toPending(call), approval: false })),
      ...approvals.map((call) => ({ ...toPending(call), approval: true })),
    ].map(toText)
    const shown = page.pending.map(({ agent, callId, name, input, approval = false }) =>
      toText({ agent, toolUseId: callId, name, input, approval }),
    )
    const differ = held.toSorted().join() !== shown.toSorted().join()
    return differ ? [`held as pending: ${held.join()}; shown: ${shown.join()}`] : []
  }

  /** Every pending call must have been announced. */
  const unasked = (state: AgentState): string[] => {
    const { calls, approvals } = pendingOf(state)
    return [
      ...calls.map(({ agent, id }) => `awaiting_frontend_tools ${agent}/${id}`),
      ...approvals.map(({ agent, id }) => `awaiting_approval ${agent}/${id}`),
    ].filter((waiting) => !asked.has(waiting))
  }

  const openCalls = (): string[] =>
    [...tracks].flatMap(([agent, { open }]) => [...open].map((id) => `${agent}/${id}`))

  return {
    lines: () => written,
    shownMarks,
    answer: () => answer?.text() ?? '',
    write(items) {
      for (const item of items) if (item.type !== 'checkpoint') take(item)
    },
    mend() {
      push(writer.finish())
      for (const [agent, track] of tracks) {
        if (track.showsLoose)
          take({ type: 'rollback', agent, step: 1, attempt: 2, reason: 'The server stopped.' })
        if (track.phase === 'running') track.phase = 'dead'
      }
    },
    reopen() {
      writer = createEnvelopeWriter()
    },
    faults(state) {
      const isOver = state?.pause === undefined
      const left = isOver ? openCalls().map((call) => `${call} has no result`) : []
      const busy = [...tracks].filter(
        ([, { phase }]) => phase === 'running' || (isOver && phase !== 'idle'),
      )
      return [
        ...found.splice(0),
        ...left,
        ...(state === undefined
          ? []
          : unasked(state).map((waiting) => `nobody was told ${waiting}`)),
        ...(state === undefined || busy.length > 0 ? [] : pageFaults(state)),
        ...busy.map(([agent, { phase }]) => `${agent} is ${phase} at the end`),
      ]
    },
  }
}

/** Adds an event; returns its defects. */
function follow(track: Track, event: AgentEvent): string | undefined {
  const { phase } = track
  if (event.type === 'run_start') {
    track.phase = 'running'
    return phase === 'running' ? 'a run starts in another' : undefined
  }
  if (phase === 'idle') return `${event.type} outside of a run`
  if (event.type === 'run_end') {
    track.phase = isPauseReason(event.stopReason) ? 'paused' : 'idle'
    track.showsLoose = false
    return undefined
  }
  // An answer does not resume the agent while other calls are pending.
  if (phase !== 'paused' || event.type !== 'tool_status') track.phase = 'running'
  return followCall(track, event)
}

function followCall(track: Track, event: AgentEvent): string | undefined {
  const { open, answered, loose } = track
  if (event.type === 'block_start') track.showsLoose = true
  if (event.type === 'block_end' && event.kind === 'tool_call') {
    open.add(String(event.content['id']))
    loose.add(String(event.content['id']))
  }
  if (event.type === 'rollback') for (const id of loose) open.delete(id)
  if (event.type === 'rollback' || event.type === 'step_end' || event.type === 'tool_result') {
    loose.clear()
    track.showsLoose = false
  }
  if (event.type !== 'tool_result') return undefined
  const { callId: id } = event
  const fault = open.delete(id) ? undefined : `result of ${id}, which is not open`
  if (answered.has(id)) return `${id} has two results`
  answered.add(id)
  return fault
}

function toPending({ agent, id, name, inputText }: PendingCall) {
  return { agent, toolUseId: id, name, input: JSON.parse(inputText) as unknown }
}
