import type { AgentEvent, Steered } from '../../events/index.ts'
import type { CommandChange } from '../../stores/port/index.ts'
import { encodeReceipt } from '../commands/receipts.ts'
import type { RunCommand, StoredCommand } from '../commands/run-command.ts'

/** Tells whether an event shows that a command has taken effect. */
type IsDone = (event: AgentEvent) => boolean

/** A command that a run was given. */
interface Given {
  readonly stored: StoredCommand
  /** What it waits for; undefined once that was seen. */
  readonly isDone: IsDone | undefined
  readonly messageId?: string | undefined
}

/** The commands that a run was given, and which of them have taken effect. */
export class RunInbox {
  readonly #session: string
  readonly #run: number
  /** Those that are done stay known. */
  readonly #given = new Map<string, Given>()
  #done: CommandChange[] = []

  constructor(session: string, run: number) {
    this.#session = session
    this.#run = run
  }

  has(key: string): boolean {
    return this.#given.has(key)
  }

  /** Whether a command has not shown its effect. */
  hasOpen(): boolean {
    return [...this.#given.values()].some(({ isDone }) => isDone !== undefined)
  }

  /** Notes that the run is given a command, before it is: an agent may tell its effect at once. */
  add(key: string, stored: StoredCommand, messageId?: string): void {
    this.#given.set(key, { stored, isDone: toDone(stored.command, this.#session), messageId })
  }

  /** A message as it is told: with the key that its sender gave it. */
  name(event: Steered): Steered {
    const given = [...this.#given.values()].find(
      ({ stored, isDone }) => 'prompt' in stored.command && isDone?.(event) === true,
    )
    return given?.messageId === undefined ? event : { ...event, messageId: given.messageId }
  }

  /** Follows the events of agents, by the id of the first frame of each; gives true if a command is done with that. */
  follow(event: AgentEvent, firstId: number): boolean {
    if (this.#given.size === 0 || !showing.has(event.type)) return false
    const before = this.#done.length
    for (const [key, given] of this.#given) {
      if (given.isDone?.(event) !== true) continue
      this.#given.set(key, { ...given, isDone: undefined })
      const { digest } = given.stored
      const known = digest === undefined ? {} : { digest }
      const isTold = event.type === 'steered'
      const place = isTold && digest !== undefined ? { run: this.#run, first: firstId } : {}
      const body = encodeReceipt({ state: 'done', ...known, ...place })
      this.#done.push({ key, body, isPending: false })
      // Two messages may say the same, and each is told once.
      if (isTold) break
    }
    return this.#done.length > before
  }

  /** Gives the commands that are done since this was called last. */
  takeDone(): readonly CommandChange[] {
    const done = this.#done
    this.#done = []
    return done
  }
}

/** The events that show the effect of a command. */
const showing: ReadonlySet<string> = new Set([
  'steered',
  'run_end',
  'tool_result',
  'tool_status',
  'prompt_queued',
])

function toDone(command: RunCommand, session: string): IsDone {
  const { agent = session } = 'agent' in command ? command : {}
  if (command.type === 'stop') return (event) => event.type === 'run_end' && event.agent === agent
  if (command.type === 'notice') {
    const { messageId, state } = command
    return (event) =>
      event.type === 'prompt_queued' && event.messageId === messageId && event.state === state
  }
  if (command.type === 'prompt') {
    // An agent tells the prompt that it was given, not a copy. One that is queued waits for the end of the run.
    const { prompt } = command
    const isTold = command.whenBusy === 'steer'
    return (event) =>
      isTold && event.type === 'steered' && event.agent === agent && event.prompt === prompt
  }
  // What concerns the session alone is done when the command is given.
  if (command.type !== 'answer') return () => true
  const { results = [], decisions = [] } = command.answers
  const calls = new Set([...results, ...decisions].map(({ toolUseId }) => toolUseId))
  return (event) => {
    if (event.type === 'tool_result' || event.type === 'tool_status') calls.delete(event.id)
    return calls.size === 0
  }
}
