import {
  type LoggedEvent,
  type MessageToRun,
  type ToolResult,
  type ToolStatus,
  traitsOfEvent,
} from '../../events/index.ts'
import { settledStages } from '../../protocols/port/index.ts'
import type { CommandChange } from '../../stores/port/index.ts'
import { encodeReceipt } from '../commands/receipts.ts'
import type { RunCommand, StoredCommand } from '../commands/run-command.ts'

/** Checks whether an event shows the effect of a command. */
type IsDone = (event: LoggedEvent) => boolean

/** A command that was passed to a run. */
interface PassedCommand {
  readonly stored: StoredCommand
  /** The effect that it waits for; undefined once it was seen. */
  readonly isDone: IsDone | undefined
  readonly messageId?: string | undefined
}

/** The commands that were passed to a run, and which of them had their effect. */
export class RunInbox {
  readonly #session: string
  readonly #run: number
  /** Includes completed commands. */
  readonly #passed = new Map<string, PassedCommand>()
  #done: CommandChange[] = []

  constructor(session: string, run: number) {
    this.#session = session
    this.#run = run
  }

  has(key: string): boolean {
    return this.#passed.has(key)
  }

  /** Checks for a command without a visible effect. */
  hasOpen(): boolean {
    return [...this.#passed.values()].some(({ isDone }) => isDone !== undefined)
  }

  /** Records a command before the run gets it, because an agent may emit its effect at once. */
  add(key: string, stored: StoredCommand, messageId?: string): void {
    this.#passed.set(key, { stored, isDone: toDone(stored.command, this.#session), messageId })
  }

  /** Adds the key of the sender to a message event. */
  name(event: MessageToRun): MessageToRun {
    const passed = [...this.#passed.values()].find(
      ({ stored, isDone }) => 'prompt' in stored.command && isDone?.(event) === true,
    )
    return passed?.messageId === undefined ? event : { ...event, messageId: passed.messageId }
  }

  /** Checks an event of an agent, with the id of its first frame, for effects of commands; true if a command is done. */
  follow(event: LoggedEvent, firstId: number): boolean {
    if (this.#passed.size === 0 || traitsOfEvent(event.type)?.showsCommand !== true) return false
    const before = this.#done.length
    for (const [key, passed] of this.#passed) {
      if (passed.isDone?.(event) !== true) continue
      this.#passed.set(key, { ...passed, isDone: undefined })
      const { digest } = passed.stored
      const known = digest === undefined ? {} : { digest }
      const isMessage = event.type === 'user_message'
      const place = isMessage && digest !== undefined ? { run: this.#run, first: firstId } : {}
      const body = encodeReceipt({ state: 'done', ...known, ...place })
      this.#done.push({ key, body, isPending: false })
      // Two messages may have the same text, and each is emitted once.
      if (isMessage) break
    }
    return this.#done.length > before
  }

  /** Adds receipts of commands whose effect is stored with the next data of the run. */
  settle(receipts: readonly CommandChange[]): void {
    this.#done.push(...receipts)
  }

  /** Returns the commands done since the last call. */
  takeDone(): readonly CommandChange[] {
    const done = this.#done
    this.#done = []
    return done
  }
}

function toDone(command: RunCommand, session: string): IsDone {
  const { agent = session } = 'agent' in command ? command : {}
  if (command.type === 'stop') return (event) => event.type === 'run_end' && event.agent === agent
  if (command.type === 'notice') {
    const { messageId, state } = command
    return (event) =>
      event.type === 'queued_prompt' && event.messageId === messageId && event.state === state
  }
  if (command.type === 'prompt') {
    // An agent emits the prompt object that it got, not a copy. A queued prompt waits for the end of the run.
    const { prompt } = command
    const isSteering = command.whenBusy === 'steer'
    return (event) =>
      isSteering &&
      event.type === 'user_message' &&
      event.agent === agent &&
      event.prompt === prompt
  }
  // Commands for the session alone are done when they are passed.
  if (command.type !== 'answer') return () => true
  const { results = [], decisions = [] } = command.answers
  const calls = new Set([...results, ...decisions].map(({ toolUseId: callId }) => callId))
  return (event) => {
    if (showsAnswer(event)) calls.delete(event.callId)
    return calls.size === 0
  }
}

/** Checks for an answer or a decision. A recovered run may emit the request for it once more. */
function showsAnswer(event: LoggedEvent): event is ToolResult | ToolStatus {
  if (event.type === 'tool_result') return true
  return event.type === 'tool_status' && settledStages.has(event.stage)
}
