import type { AgentEvent } from '../../events/index.ts'
import type { CommandChange } from '../../store/index.ts'
import type { RunCommand } from './run-command.ts'

/** Tells whether an event shows that a command has taken effect. */
type IsDone = (event: AgentEvent) => boolean

/** The commands that a run was given, and which of them have taken effect. */
export class RunInbox {
  readonly #session: string
  /** What each waits for; those that are done stay known. */
  readonly #given = new Map<string, IsDone | undefined>()
  #done: CommandChange[] = []

  constructor(session: string) {
    this.#session = session
  }

  has(key: string): boolean {
    return this.#given.has(key)
  }

  /** Whether a command has not shown its effect. */
  hasOpen(): boolean {
    return [...this.#given.values()].some((isDone) => isDone !== undefined)
  }

  /** Notes that the run is given a command, before it is: an agent may tell its effect at once. */
  add(key: string, command: RunCommand): void {
    this.#given.set(key, toDone(command, this.#session))
  }

  /** Follows what agents tell; gives true if a command is done with that. */
  follow(event: AgentEvent): boolean {
    if (this.#given.size === 0 || !showing.has(event.type)) return false
    const before = this.#done.length
    for (const [key, isDone] of this.#given) {
      if (isDone?.(event) !== true) continue
      this.#given.set(key, undefined)
      this.#done.push({ key, body: 'done', isPending: false })
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
const showing: ReadonlySet<string> = new Set(['steered', 'run_end', 'tool_result', 'tool_status'])

function toDone(command: RunCommand, session: string): IsDone {
  const { agent = session } = 'agent' in command ? command : {}
  if (command.type === 'stop') return (event) => event.type === 'run_end' && event.agent === agent
  if (command.type === 'steer') {
    // An agent tells the prompt that it was given, not a copy.
    const { prompt } = command
    return (event) => event.type === 'steered' && event.agent === agent && event.prompt === prompt
  }
  // What concerns the session alone is done when the command is given.
  if (command.type === 'rename' || command.type === 'count') return () => true
  const { results = [], decisions = [] } = command.answers
  const calls = new Set([...results, ...decisions].map(({ toolUseId }) => toolUseId))
  return (event) => {
    if (event.type === 'tool_result' || event.type === 'tool_status') calls.delete(event.id)
    return calls.size === 0
  }
}
