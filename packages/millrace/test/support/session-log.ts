import { type AgentState, type Checkpoint, pendingOf } from '../../src/agent/index.ts'
import { createEnvelopeWriter, type EnvelopeWriter } from '../../src/exit/index.ts'
import { createVerifier } from '../../src/envelope/index.ts'
import { type AgentEvent, isPauseReason } from '../../src/events/index.ts'

/** What one agent has shown. */
interface Track {
  phase: 'idle' | 'running' | 'paused' | 'dead'
  /** Calls that wait for their result. */
  readonly open: Set<string>
  readonly answered: Set<string>
  /** What it has shown of a step that is not over. */
  readonly loose: Set<string>
  showsLoose: boolean
}

/** The log of a session: what is in it, and what is wrong with it. */
export interface SessionLog {
  /** Writes what a run has told. */
  write(items: readonly (AgentEvent | Checkpoint)[]): void
  /** Closes what the death of a process has left open, and takes back what will be said again. */
  mend(): void
  /** Starts the part that another process, or another request, writes. */
  reopen(): void
  /** What contradicts the rules, at the end of a run with this state. */
  faults(state: AgentState | undefined): string[]
  /** All that was written. */
  lines(): readonly string[]
}

/** Creates a log that checks all that is written to it. */
export function createSessionLog(): SessionLog {
  const tracks = new Map<string, Track>()
  const verifier = createVerifier()
  const found: string[] = []
  const written: string[] = []
  const asked = new Set<string>()
  let writer: EnvelopeWriter = createEnvelopeWriter()

  const push = (lines: readonly string[]): void => {
    written.push(...lines)
    for (const line of lines)
      found.push(...verifier.push(line).map(({ rule, message }) => `${rule}: ${message} ${line}`))
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
    if (event.type === 'tools_awaited' || event.type === 'approvals_awaited')
      for (const { id } of event.calls) asked.add(`${event.type} ${event.agent}/${id}`)
    const fault = follow(trackOf(event.agent), event)
    if (fault !== undefined) found.push(`${event.agent}: ${fault}`)
  }

  /** Someone must have been asked for all that waits. */
  const unasked = (state: AgentState): string[] => {
    const { calls, approvals } = pendingOf(state)
    return [
      ...calls.map(({ agent, id }) => `tools_awaited ${agent}/${id}`),
      ...approvals.map(({ agent, id }) => `approvals_awaited ${agent}/${id}`),
    ].filter((waiting) => !asked.has(waiting))
  }

  const openCalls = (): string[] =>
    [...tracks].flatMap(([agent, { open }]) => [...open].map((id) => `${agent}/${id}`))

  return {
    lines: () => written,
    write(items) {
      for (const item of items) if (item.type !== 'checkpoint') take(item)
    },
    mend() {
      push(writer.finish())
      for (const [agent, track] of tracks) {
        if (track.showsLoose)
          take({ type: 'step_rollback', agent, step: 1, attempt: 2, reason: 'The server stopped.' })
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
        ...busy.map(([agent, { phase }]) => `${agent} is ${phase} at the end`),
      ]
    },
  }
}

/** Takes an event into account; says what is wrong with it. */
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
  track.phase = 'running'
  return followCall(track, event)
}

function followCall(track: Track, event: AgentEvent): string | undefined {
  const { open, answered, loose } = track
  if (event.type === 'block_start') track.showsLoose = true
  if (event.type === 'block_end' && event.kind === 'tool_call') {
    open.add(String(event.content['id']))
    loose.add(String(event.content['id']))
  }
  if (event.type === 'step_rollback') for (const id of loose) open.delete(id)
  if (event.type === 'step_rollback' || event.type === 'step_end' || event.type === 'tool_result') {
    loose.clear()
    track.showsLoose = false
  }
  if (event.type !== 'tool_result') return undefined
  const { id } = event
  const fault = open.delete(id) ? undefined : `result of ${id}, which is not open`
  if (answered.has(id)) return `${id} has two results`
  answered.add(id)
  return fault
}
